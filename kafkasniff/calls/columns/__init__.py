"""Many connections at once: their runs cut into frames, read and paired by columns, while nothing in them is odd."""
