# Compiled for speed: of each connection a call of each API a second is looked at.
