"""Shell completion of API and error names."""


def complete_api(incomplete: str) -> list[str]:
    """Give the names of APIs that begin with what was typed, in any case."""
    from kafkasniff.protocol.api_table import APIS
    from kafkasniff.render.text import camel_case

    names = (camel_case(api.name) for api in APIS.values())
    return [name for name in names if name.lower().startswith(incomplete.lower().replace("_", ""))]


def complete_error(incomplete: str) -> list[str]:
    """Give the names of errors that begin with what was typed, in any case."""
    from kafkasniff.protocol.error_codes import ERROR_CODES

    return [error.name for error in ERROR_CODES.values() if error.name.startswith(incomplete.upper())]
