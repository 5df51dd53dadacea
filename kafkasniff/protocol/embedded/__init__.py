"""The messages within messages: group metadata and assignments, principals, telemetry, records of internal topics."""
