# Compiled for speed: each call goes to several rules.

from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.diagnose.seen.seen_call cimport SeenCall
