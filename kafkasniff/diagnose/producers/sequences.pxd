# Compiled for speed: each call goes to several rules.

from kafkasniff.diagnose.seen cimport Produced, SeenCall
