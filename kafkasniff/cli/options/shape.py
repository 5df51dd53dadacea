"""How calls are shown: the options of `read`, `live` and `show`, declared once."""

from typing import NamedTuple

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import BoundsOption
from kafkasniff.cli.options.together import together

TERMINAL_LIMIT_VALUE = 1024
"""Bytes of a key or value of a record that are shown in the terminal unless told otherwise."""


class Shape(NamedTuple):
    """What the options say."""

    json_output: options.JsonOutput = False
    verbose: options.Verbose = 0
    time: options.Time = "absolute"
    time_of: options.TimeOf = "response"
    columns: options.Columns = None
    form: options.Format = None
    wide: options.Wide = False
    no_header: options.NoHeader = False
    limit: options.Limit = None
    connections: options.Connections = False
    show_secrets: options.ShowSecrets = False
    records: options.Records = False
    limit_value: options.LimitValue = None
    keylog: options.KeyLog = None
    definitions: options.Definitions = None
    bounds: BoundsOption = None

    def settled(self) -> "Shape":
        """Give the same with what some options mean for others."""
        is_json = self.json_output or self.form in ("json", "ndjson")
        if not self.records or is_json:
            return self._replace(json_output=is_json)
        limit_value = TERMINAL_LIMIT_VALUE if self.limit_value is None else self.limit_value
        return self._replace(verbose=max(self.verbose, 1), limit_value=limit_value)


with_shape = together("shape", Shape, leads=True)
"""Gives a command these options, which it takes together as its argument `shape`."""

with_shape_of_whole_calls = together(
    "shape",
    Shape,
    only=(
        *("json_output", "time", "time_of", "wide", "show_secrets", "records", "limit_value", "keylog"),
        *("definitions", "bounds"),
    ),
)
"""Gives a command those that say something of calls that are shown whole."""
