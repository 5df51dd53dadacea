"""`kafkasniff pipeline --follow`: goes on with what comes into directories.

`following` is the loop. Each round is a `micro_batch`: the whole new files from the index to the commit. `plan` says
which these are, and of which captures. `tasks` is what Spark's workers run for it, with the engines that `carry` keeps
from one round to the next. `findings` and `rules_of_run` go on with the rules. `state` is what is remembered on disk;
it is committed whole, or not at all.
"""
