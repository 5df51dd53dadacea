# Compiled for speed: each call goes to several rules.
