"""What is to be read.

`files` finds the files behind paths, directories and globs; `capture_points` tells which of them are of one ring;
`watching` tells which files of a watched directory are whole. `own_folders` makes folders that nobody else can have
made, for all that a run writes before it is complete.
"""
