"""The parts of the screen.

- `call_list`: the list. `detail`: one call as a tree, with its bytes in `bytes_view`.
- `findings_pane` and `statistics_pane`: what else stands below the list.
- `prompt`: where filters and searches are typed, with `completion`. `following`: filters made of what a call is about.
- `help_screen`: the keys.
"""
