"""Calls as spans, findings as log records: `--otlp ENDPOINT` of `read` and `live`.

`attributes.py` says of a call what OpenTelemetry's semantic conventions for messaging (and those for Kafka) ask for,
`export.py` makes spans of that by opentelemetry-sdk and sends them by OTLP over HTTP. A span is made of what was seen
on the wire: it is no part of the traces that a client may have begun itself, and has a trace of its own.
"""
