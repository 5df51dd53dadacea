"""Error codes found by their names, for tables of many."""

from kafkasniff.protocol.error_codes.codes import ERROR_CODES


def codes_named(names: str) -> frozenset[int]:
    """Give the codes of errors by their names, with spaces between; raises KeyError for a name that Kafka has not."""
    codes = {error.name: error.code for error in ERROR_CODES.values()}
    return frozenset(codes[name] for name in names.split())
