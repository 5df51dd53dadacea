"""DelegationTokenRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "DelegationTokenRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("owner", "string", "0+"),
        Field("requester", "string", "0+"),
        Field("renewers", "[]string", "0+"),
        Field("issueTimestamp", "int64", "0+"),
        Field("maxTimestamp", "int64", "0+"),
        Field("expirationTimestamp", "int64", "0+"),
        Field("tokenId", "string", "0+"),
    ),
)
