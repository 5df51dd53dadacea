"""The terminal browser: a list of calls, one call whole, findings, filters and searches, on files and interfaces.

Three processes, so that the screen never waits:

- `gathering`: reads the captures, or listens, and keeps each call in temporary files (`store`). Memory does not grow
  with the capture: a call is made again from its bytes when it is shown.
- `asking`: answers what the screen asks about all calls: which the filter wants, which line holds a text, how many
  there are of what.
- The screen: `app` with its parts in `panes`; `first_screen` comes before it. It knows of the others through `session`.

They talk through a `channel`. `lines` makes the lines of the list.
"""
