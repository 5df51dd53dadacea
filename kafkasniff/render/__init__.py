"""Rendering: what the layers above found, as text, JSON lines or a page.

- `text/`: calls as lines and trees for people; `json/`: the same as JSON lines. `line_writer` is what both are to those
  who print them.
- `diagnosis/`: findings, timelines and lags; `tables/`: answers as tables; `reference/`: what Kafka's APIs and error
  codes are; `report/`: one HTML page.
- `closing` and `unseen` say what a capture was worth. `colours`, `terminal`, `times`, `words` and `wrapping` are what
  all of them share.
"""
