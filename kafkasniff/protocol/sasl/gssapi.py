"""GSSAPI (RFC 4752) with Kerberos 5: the kinds of tokens (RFC 2743, 1964, 4121), and what is in them in clear."""

from struct import Struct
from typing import Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import java_text
from kafkasniff.protocol.sasl.der import integer, read_element, read_elements
from kafkasniff.protocol.sasl.token import SaslToken, unknown_token, user

NAME: Final = "GSSAPI"

KERBEROS: Final = bytes.fromhex("2a864886f712010202")
SPNEGO: Final = bytes.fromhex("2b0601050502")
_MECHANISMS: Final = {KERBEROS: "Kerberos 5", SPNEGO: "SPNEGO"}

_INITIAL_TOKEN = 0x60
_OID = 0x06
_SEQUENCE = 0x30

# RFC 1964, 1.1 and 1.2: identifiers of what follows the mechanism.
_AP_REQ = bytes.fromhex("0100")
_KRB_ERROR = bytes.fromhex("0300")
_FRAMED_KINDS: Final = {
    _AP_REQ: "AP-REQ",
    bytes.fromhex("0200"): "AP-REP",
    _KRB_ERROR: "KRB-ERROR",
    bytes.fromhex("0101"): "MIC",
    bytes.fromhex("0201"): "wrap",
    bytes.fromhex("0102"): "context deletion",
}

# RFC 4121, 4.2.6.
_MIC = bytes.fromhex("0404")
_WRAP = bytes.fromhex("0504")
_WRAP_HEADER = Struct(">HBBHHQ")
"""Identifier, flags, filler, extra count (of checksum bytes), right rotation count, sequence number."""
_SENT_BY_ACCEPTOR = 0x01
_SEALED = 0x02

_QOPS: Final = {1: "auth", 2: "auth-int", 4: "auth-conf"}
"""RFC 4752, 3.1: bits of the security layers, under the names of Java's Sasl.QOP."""
_LAYERS_BYTES = 4

_MUTUAL_REQUIRED = 0x20


def is_gssapi(token: bytes) -> bool:
    """Tell whether a first token is GSSAPI's, when nothing says what it is."""
    try:
        return _split_initial(token)[0] in _MECHANISMS
    except ProtocolError:
        return False


def read_gssapi(token: bytes, from_client: bool) -> SaslToken:
    """Read a token of GSSAPI: nothing in it is secret that is in clear."""
    if token[:1] == bytes([_INITIAL_TOKEN]):
        try:
            return _read_initial(token)
        except ProtocolError:
            return unknown_token(NAME, token)
    if token[:2] == _WRAP and len(token) >= _WRAP_HEADER.size:
        return _read_wrap(token, from_client)
    if token[:2] == _MIC:
        return SaslToken(NAME, "GSSAPI MIC", None, {})
    return unknown_token(NAME, token)


def _split_initial(token: bytes) -> tuple[bytes, bytes]:
    """Give the mechanism's OID and what follows it in a token with RFC 2743's framing (3.1)."""
    framed = read_element(token)
    if framed.tag != _INITIAL_TOKEN:
        raise ProtocolError(f"expected the tag {_INITIAL_TOKEN:#x}, found {framed.tag:#x}", 0)
    mechanism = read_element(framed.content)
    if mechanism.tag != _OID:
        raise ProtocolError(f"expected an object identifier, found the tag {mechanism.tag:#x}", 0)
    return mechanism.content, framed.content[mechanism.end :]


def _read_initial(token: bytes) -> SaslToken:
    oid, inner = _split_initial(token)
    fields: dict[str, Any] = {"mechanism": _MECHANISMS.get(oid, f"OID {oid.hex()}")}
    if oid != KERBEROS:
        return SaslToken(NAME, "GSSAPI initial token", None, fields)
    kind = _FRAMED_KINDS.get(inner[:2])
    if kind is None:
        return unknown_token(NAME, token)
    if inner[:2] == _AP_REQ:
        fields |= _read_ap_req(inner[2:])
    elif inner[:2] == _KRB_ERROR:
        fields["errorCode"] = integer(_inside(_tagged(read_element(inner, 2).content), 6))
    return SaslToken(NAME, f"GSSAPI {kind}", None, fields)


def _tagged(sequence: bytes) -> dict[int, bytes]:
    """Give the members of a SEQUENCE by their context tags."""
    outer = read_element(sequence)
    if outer.tag != _SEQUENCE:
        raise ProtocolError(f"expected a SEQUENCE, found the tag {outer.tag:#x}", 0)
    return {element.tag & 0x1F: element.content for element in read_elements(outer.content)}


def _inside(members: dict[int, bytes], number: int) -> bytes:
    """Give the content of the element inside a member."""
    if number not in members:
        raise ProtocolError(f"expected the member {number}, found none", 0)
    return read_element(members[number]).content


def _read_ap_req(data: bytes) -> dict[str, Any]:
    """Read what an AP-REQ (RFC 4120, 5.5.1) has in clear: the service, but not the client, who is in its ticket."""
    members = _tagged(read_element(data).content)
    options = _inside(members, 2)
    # The ticket is an APPLICATION 1 around a SEQUENCE (RFC 4120, 5.3).
    ticket = _tagged(_inside(members, 3))
    realm = java_text(_inside(ticket, 1))
    if 2 not in ticket or 3 not in ticket:
        raise ProtocolError("expected a ticket with its service and its encrypted part, found none", 0)
    names = read_elements(_inside(_tagged(ticket[2]), 1))
    service = "/".join(java_text(name.content) for name in names)
    return {
        "service": f"{service}@{realm}",
        "mutualRequired": bool(options[1:2] and options[1] & _MUTUAL_REQUIRED),
        "ticketEncryptionType": integer(_inside(_tagged(ticket[3]), 0)),
    }


def _read_wrap(token: bytes, from_client: bool) -> SaslToken:
    """Read a wrap token: the offer or the choice of security layers, with the client's authzid."""
    _, flags, _, checksum_bytes, rotation, _ = _WRAP_HEADER.unpack_from(token)
    fields: dict[str, Any] = {"sentByAcceptor": bool(flags & _SENT_BY_ACCEPTOR), "sealed": bool(flags & _SEALED)}
    data = token[_WRAP_HEADER.size :]
    size = len(data) - checksum_bytes
    if flags & _SEALED or size < _LAYERS_BYTES:
        return SaslToken(NAME, "GSSAPI wrap", None, fields)
    rotation %= len(data)
    text = (data[rotation:] + data[:rotation])[:size]
    fields["qop"] = [name for bit, name in _QOPS.items() if text[0] & bit]
    fields["maxSizeInBytes"] = int.from_bytes(text[1:_LAYERS_BYTES])
    authzid = java_text(text[_LAYERS_BYTES:])
    if not from_client or not authzid:
        return SaslToken(NAME, "GSSAPI wrap", None, fields)
    fields["authzid"] = authzid
    return SaslToken(NAME, "GSSAPI wrap", user(_short_name(authzid)), fields)


def _short_name(principal: str) -> str:
    """Give the user by the default of sasl.kerberos.principal.to.local.rules: the principal's first component."""
    return principal.partition("@")[0].partition("/")[0]
