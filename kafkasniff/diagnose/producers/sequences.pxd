# Compiled for speed: each call goes to several rules.

from kafkasniff.diagnose.rule cimport state_of
from kafkasniff.diagnose.seen.produced cimport Produced
from kafkasniff.diagnose.seen.seen_call cimport SeenCall
