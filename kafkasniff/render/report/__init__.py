"""The report: one HTML file with all that a capture tells, which opens from disk and asks no network.

- `data` asks the tables the named questions, and gives what the page shows as plain values.
- `evidence` reads the captures once more for the calls that findings cite, decoded.
- `page` puts these values into one file with the style and the scripts in `assets/`.

The page computes nothing that a question has an answer to; where a part of the time is chosen on it, it adds up bins.
"""
