"""Hostile captures and files, each read by all that shows captures: `python -m tools.hostile [CASE...]`.

Every command runs as a process of its own. None may take over 3 s of CPU or 300 MB, end in a traceback, show a planted
secret or a control character, or print JSON that is none. docs/hostile.md holds the table of a run.
"""
