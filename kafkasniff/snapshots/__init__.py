"""Snapshots: objects of the engine and the rules, written field by field, and read back as they were.

A class declares its fields once: as a dataclass, a named tuple, or by `__slots__` (`classes`). Those that it names in
`REBUILT` are left out: they are None until its method `rebuild`, where it has one, makes them again, when all is there.

`writing` writes each value as a tag and what belongs to it (`tags`), and what an object holds right behind it. What
several objects hold is written once, numbered in the order in which it was met, and named by its number from then on:
what is shared stays shared. The first object of a class comes behind the class's name and those of its fields.

Who reads a snapshot (`reading`) makes nothing but plain values and objects of the engine's and the rules' classes, sets
their fields, and calls only `rebuild`: whatever it holds, it chooses no code.
"""
