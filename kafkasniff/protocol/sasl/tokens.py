"""The entry: read any token of a login."""

from typing import Final

from kafkasniff.protocol.sasl import aws_msk_iam, gssapi, oauthbearer, plain, scram
from kafkasniff.protocol.sasl.token import SaslToken, unknown_token

MAX_TOKEN_BYTES: Final = 524_288
"""Largest token that brokers take unless told otherwise (sasl.server.max.receive.size)."""

SCRAM_OF_UNKNOWN_HASH: Final = "SCRAM"


def read_token(mechanism: str, from_client: bool, token: bytes, *, show_secrets: bool = False) -> SaslToken:
    """Read a token by the mechanism's name as in SaslHandshake; never raises.

    Secrets (passwords, salts, proofs, verifiers, bearer tokens) are replaced by `***` unless `show_secrets`.
    """
    if not token:
        return SaslToken(mechanism, f"{mechanism} empty token", None, {})
    if len(token) > MAX_TOKEN_BYTES:
        return unknown_token(mechanism, token)
    if mechanism == plain.NAME:
        return plain.read_plain(token, from_client, show_secrets)
    if mechanism.startswith(SCRAM_OF_UNKNOWN_HASH):
        return scram.read_scram(mechanism, token, from_client, show_secrets)
    if mechanism == oauthbearer.NAME:
        return oauthbearer.read_oauthbearer(token, from_client, show_secrets)
    if mechanism == gssapi.NAME:
        return gssapi.read_gssapi(token, from_client)
    if mechanism == aws_msk_iam.NAME:
        return aws_msk_iam.read_aws_msk_iam(token, from_client, show_secrets)
    return unknown_token(mechanism, token)


def guess_mechanism(first_client_token: bytes) -> str | None:
    """Tell the mechanism from the first token of a login of which no SaslHandshake was seen; None when it has no form.

    SCRAM's tokens do not tell the hash: they give `SCRAM`.
    """
    if not 0 < len(first_client_token) <= MAX_TOKEN_BYTES:
        return None
    if gssapi.is_gssapi(first_client_token):
        return gssapi.NAME
    if oauthbearer.is_oauthbearer(first_client_token):
        return oauthbearer.NAME
    if scram.is_client_first(first_client_token):
        return SCRAM_OF_UNKNOWN_HASH
    if plain.is_plain(first_client_token):
        return plain.NAME
    return None
