# Compiled for speed: each call goes to several rules.

from kafkasniff.diagnose.producers.produced cimport produced
from kafkasniff.diagnose.seen cimport Produced, SeenCall
