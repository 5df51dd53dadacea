"""PLAIN (RFC 4616): one token with the password in clear, and an empty answer."""

from kafkasniff.protocol.primitives import java_text
from kafkasniff.protocol.sasl.token import SaslToken, secret, unknown_token, user

NAME = "PLAIN"


def is_plain(token: bytes) -> bool:
    """Tell whether a first token has PLAIN's form, when nothing says what it is."""
    _, *credentials = token.split(b"\0")
    texts = [java_text(part) for part in token.split(b"\0")]
    return len(credentials) == 2 and all(credentials) and all(text.isprintable() for text in texts)


def read_plain(token: bytes, from_client: bool, show_secrets: bool) -> SaslToken:
    """Read a token of PLAIN."""
    parts = [java_text(part) for part in token.split(b"\0")]
    if not from_client or len(parts) != 3:
        return unknown_token(NAME, token)
    authzid, authcid, password = parts
    fields = {"authzid": authzid, "authcid": authcid, "passwd": secret(password, show_secrets)}
    # The broker refuses an authzid that is not the authcid (PlainSaslServer).
    return SaslToken(NAME, "PLAIN credentials", user(authcid), fields)
