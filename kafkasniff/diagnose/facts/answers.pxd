# Compiled for speed: each Metadata answer is asked for by several rules.
