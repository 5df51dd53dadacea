"""What stands before each value of a snapshot. Numbers are of seven bits a byte, the lowest first, as in Kafka."""

from collections import Counter, OrderedDict, deque

VERSION = 2
"""Another number for each change of the format."""
HEADER = b"kafkasniff snapshot %d\n" % VERSION

NONE, FALSE, TRUE, INTEGER, LARGE_INTEGER, FLOAT, TEXT, BYTES, VIEW, UNSET = range(10)
"""Plain values. A large integer is a text of digits; `UNSET` stands for a field without a value."""
TUPLE, NAMED_TUPLE, FROZEN_SET, SUB_TEXT = range(10, 14)
"""What is whole only with all that it holds: a count and the values; of a class of ours with its number."""
LIST, DICT, ORDERED_DICT, COUNTER, SET, DEQUE, BYTE_ARRAY, OBJECT = range(20, 28)
"""What may hold itself. A deque has its greatest length and 1 first, or 0; an object the number of its class."""
CLASS = 30
"""A class that comes for the first time: module, name, number of fields, their names. Classes are numbered by these."""
SHARED = 31
"""What follows has a number: 0 the first such."""
REFERENCE = 32
"""What has that number."""
LATER = 33
"""What follows has a number, and its contents behind all that is before it: chains may be long."""
CONTENTS = 34
"""The contents of what has that number."""
END = 35
SMALL = 128
"""From here on a tag is an integer itself, 0 to 127."""

MOST_NESTED = 50
"""So deep in others what may hold itself is written later."""
MOST_NESTED_AT_ALL = 100

CONTAINERS: dict[type, int] = {
    list: LIST,
    dict: DICT,
    OrderedDict: ORDERED_DICT,
    Counter: COUNTER,
    set: SET,
    deque: DEQUE,
    bytearray: BYTE_ARRAY,
}
