"""The principal that brokers make of a client's certificate."""

from collections.abc import Iterator

_ATTRIBUTES = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.1": "UID",
    "0.9.2342.19200300.100.1.25": "DC",
}
"""Those that RFC 2253 names; Java writes others as numbers, with the value in hexadecimal."""
_ESCAPED = frozenset(',=+<>#;"\\')


def principal_of(certificate: bytes) -> str | None:
    """Give the principal of a client with a certificate (DER); None for one that is damaged, or without `cryptography`.

    As DefaultKafkaPrincipalBuilder makes it of Java's X500Principal.getName() (RFC 2253), without
    `ssl.principal.mapping.rules`, which no byte on the wire tells.
    """
    # Late: loading it takes a tenth of a second.
    try:
        from cryptography import x509
    except ModuleNotFoundError:
        return None

    try:
        subject = x509.load_der_x509_certificate(certificate).subject
        # A name is a sequence of sets of pairs of attribute and value.
        sets = _elements(_content(subject.public_bytes()))
        parts = [
            "+".join(
                _attribute(attribute.oid.dotted_string, attribute.value, [*_elements(_content(pair))][1])
                for attribute, pair in zip(names, _elements(_content(encoded)), strict=True)
            )
            for names, encoded in zip(subject.rdns, sets, strict=True)
        ]
    except (ValueError, TypeError, LookupError, x509.InvalidVersion):
        return None
    return f"User:{','.join(reversed(parts))}"


def _attribute(oid: str, text: str | bytes, encoded: bytes) -> str:
    name = _ATTRIBUTES.get(oid)
    if name is None or isinstance(text, bytes):
        return f"{name or oid}=#{encoded.hex()}"
    escaped = "".join(f"\\{letter}" if letter in _ESCAPED else letter for letter in text)
    kept = escaped.strip(" ")
    before, _, behind = escaped.partition(kept) if kept else (escaped, "", "")
    return "".join((name, "=", before.replace(" ", "\\ "), kept, behind.replace(" ", "\\ ")))


def _elements(data: bytes) -> Iterator[bytes]:
    """Give the DER elements in some bytes, each whole."""
    place = 0
    while place < len(data):
        end = _head(data, place)[1]
        yield data[place:end]
        place = end


def _content(element: bytes) -> bytes:
    start, end = _head(element, 0)
    return element[start:end]


def _head(data: bytes, place: int) -> tuple[int, int]:
    """Give where the content of the DER element at `place` starts and ends."""
    length, start = data[place + 1], place + 2
    if length & 0x80:
        long = length & 0x7F
        length = int.from_bytes(data[start : start + long], "big")
        start += long
    return start, start + length
