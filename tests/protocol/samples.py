"""Definitions made for tests, with every kind of field, and bytes written by hand for them."""

from kafkasniff.protocol.fields import Field, Message

EVERY_TYPE = Message(
    "EveryType",
    versions="0-1",
    flexible="1+",
    fields=(
        Field("flag", "bool", "0+"),
        Field("tiny", "int8", "0+"),
        Field("port", "uint16", "0+"),
        Field("size", "uint32", "0+"),
        Field("offset", "int64", "0+"),
        Field("ratio", "float64", "0+"),
        Field("id", "uuid", "0+"),
        Field("name", "string", "0+"),
        Field("rack", "string", "0+", nullable="0+"),
        Field("data", "bytes", "0+", nullable="0+"),
        Field("records", "records", "0+", nullable="0+"),
        Field("flags", "[]bool", "0+"),
        Field("epochs", "[]int32", "0+", nullable="0+"),
        Field("names", "[]string", "0+"),
        Field("hint", "string", "1+", tagged="1+", tag=0),
        Field(
            "cursor",
            "Cursor",
            "1+",
            nullable="1+",
            default=None,
            fields=(Field("topic", "string", "1+"), Field("next", "Next", "1+", fields=(Field("id", "int8", "1+"),))),
        ),
        Field(
            "leader",
            "Leader",
            "1+",
            nullable="1+",
            tagged="1+",
            tag=3,
            default=None,
            fields=(Field("node", "int32", "1+"),),
        ),
    ),
)

PLAIN = {
    "flag": "02",
    "tiny": "ff",
    "port": "fffe",
    "size": "fffffffd",
    "offset": "8000000000000000",
    "ratio": "3fe0000000000000",
    "id": "fbff" + "00" * 14,
    "name": "0002c3a9",
    "rack": "ffff",
    "data": "00000002cafe",
    "records": "00000003aabbcc",
    "flags": "00000002" + "0001",
    "epochs": "00000002" + "00000001ffffffff",
    "names": "00000001" + "000161",
}
"""Version 0, field by field."""

FLEXIBLE = PLAIN | {
    "name": "03c3a9",
    "rack": "00",
    "data": "03cafe",
    "records": "04aabbcc",
    "flags": "030001",
    "epochs": "0300000001ffffffff",
    "names": "020261",
    "cursor": "01" + "0274" + "0700" + "00",
    "taggedFields": "03" + "0302" + "01" + "0000000900" + "6301ff" + "0003" + "036869",
}
"""Version 1: tag 3 (leader, whose stated size of 2 is wrong and does not matter), the unknown tag 99, tag 0 (hint)."""

JSON_0 = {
    "flag": True,
    "tiny": -1,
    "port": 65534,
    "size": 4294967293,
    "offset": -9223372036854775808,
    "ratio": 0.5,
    "id": "-_8AAAAAAAAAAAAAAAAAAA",
    "name": "é",
    "rack": None,
    "data": "yv4=",
    "recordsSizeInBytes": 3,
    "flags": [False, True],
    "epochs": [1, -1],
    "names": ["a"],
}

JSON_1 = JSON_0 | {"hint": "hi", "cursor": {"topic": "t", "next": {"id": 7}}, "leader": {"node": 9}}


def raw(parts: dict[str, str]) -> bytes:
    """Give the bytes of fields written in hexadecimal."""
    return bytes.fromhex("".join(parts.values()))
