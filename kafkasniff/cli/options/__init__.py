"""Options that several commands share, declared once.

- `common`: options with one meaning in every command. `arguments`: options whose value may be left out.
- `together`: options that a command takes as one argument. `shape`: how calls are shown, for `read` and `live`.
- `filters`: the options that choose calls. `selection`: what of which captures a question is about.
- `bounds`: `--bounds NAME=VALUE,...`. `settings`: which rules run, and with which thresholds, from options and from
  `kafkasniff.toml`, which `settings_file` reads.
- `formatting`: how the help of a command is laid out. `completion`: what the shell offers for a value.
"""
