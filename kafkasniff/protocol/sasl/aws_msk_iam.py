"""AWS_MSK_IAM (github.com/aws/aws-msk-iam-auth): one JSON object signed by AWS credentials, and one in answer."""

from typing import Final

from kafkasniff.protocol.sasl.oauthbearer import json_object
from kafkasniff.protocol.sasl.token import SaslToken, secret, unknown_token

NAME: Final = "AWS_MSK_IAM"

_SHOWN: Final = frozenset(
    {
        "version",
        "host",
        "user-agent",
        "action",
        "x-amz-algorithm",
        "x-amz-credential",
        "x-amz-date",
        "x-amz-expires",
        "x-amz-signedheaders",
    }
)
"""Fields that open nothing: the credential is the access key's id. The signature and the session token do."""


def read_aws_msk_iam(token: bytes, from_client: bool, show_secrets: bool) -> SaslToken:
    """Read a token of AWS_MSK_IAM; brokers name the client by the ARN of its IAM role, which no token has."""
    value = json_object(token)
    if value is None or "version" not in value:
        return unknown_token(NAME, token)
    if not from_client:
        return SaslToken(NAME, "AWS_MSK_IAM answer", None, value)
    fields = {name: text if name in _SHOWN else secret(str(text), show_secrets) for name, text in value.items()}
    return SaslToken(NAME, "AWS_MSK_IAM signed payload", None, fields)
