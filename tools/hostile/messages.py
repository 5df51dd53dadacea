"""Cases of what is inside of Kafka's messages."""

import gzip
import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tools.hostile.case import MARKER, Case, Given, case
from tools.hostile.wire import (
    Connection,
    batch,
    body,
    call,
    conversation,
    heartbeat,
    produce,
    record,
    request,
    response,
    varint,
    write_pcap,
    zigzag,
)

FILE = "hostile.pcap"
HASH_MODULUS = (1 << 61) - 1
"""CPython's hash of an integer is its remainder of this (sys.hash_info.modulus)."""


def gssapi(folder: Path, scale: float) -> Given:
    """GSSAPI tokens with ASN.1 integers of 9 and 4,000 bytes"""
    handshake = call(17, 1, 2, {"mechanism": "GSSAPI"}, {"mechanisms": ["GSSAPI"]})
    kerberos = bytes.fromhex("06092a864886f712010202")
    calls = []
    for number, size in enumerate((9, 4000)):
        large = _der(2, b"\x7f" + b"\xff" * (size - 1))
        # KRB-ERROR (RFC 4120, 5.9.1): pvno, msg-type, error-code; AP-REQ: pvno, msg-type, options, a ticket.
        error = _der(0x7E, _der(0x30, _der(0xA0, large) + _der(0xA1, large) + _der(0xA6, large)))
        ticket = _der(0x61, _der(0x30, _der(0xA0, large)))
        asked = _der(0x6E, _der(0x30, _der(0xA0, large) + _der(0xA1, large) + _der(0xA3, ticket)))
        tokens = [_der(0x60, kerberos + b"\1\0" + asked), _der(0x60, kerberos + b"\3\0" + error)]
        calls.append(call(36, 2, 3 + number, {"authBytes": tokens[0]}, {"authBytes": tokens[1]}))
    write_pcap(folder / FILE, conversation(handshake, *calls))
    return Given([FILE])


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + content


def telemetry(folder: Path, scale: float) -> Given:
    """100 PushTelemetry requests, each of 180,000 empty data points in some bytes of zstd"""
    _telemetry(folder, b"\x0a\x00" * int(180_000 * scale), 100)
    return Given([FILE])


def telemetry_strings(folder: Path, scale: float) -> Given:
    """100 PushTelemetry requests, each of 150,000 attributes in some bytes of zstd"""
    _telemetry(folder, b"\x3a\x05\x0a\x01a\x12\x00" * int(150_000 * scale), 100)
    return Given([FILE])


def _telemetry(folder: Path, points: bytes, count: int) -> None:
    from backports import zstd

    # OTLP: ResourceMetrics > ScopeMetrics > Metric, whose gauge (5) holds the data points.
    metric = _field(1, b"m") + _field(5, points)
    metrics = zstd.compress(_field(1, _field(2, _field(2, metric))), 19)
    calls = [
        call(72, 0, number, {"compressionType": 4, "metrics": metrics, "clientInstanceId": b"i" * 16}, {})
        for number in range(2, 2 + count)
    ]
    write_pcap(folder / FILE, conversation(*calls))


def _field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def group_ids(folder: Path, scale: float) -> Given:
    """Heartbeats of 1,500 groups with ids of 32 kB that zstd makes small, refused"""
    from backports import zstd

    count = int(1_500 * scale)
    calls = []
    for number in range(2, 2 + count):
        asked, _ = heartbeat(number, f"{number:08}" + "g" * 31_990)
        calls.append((asked, struct.pack(">iih", 6, number, 25)))
    write_pcap(folder / "plain", conversation(*calls))
    (folder / f"{FILE}.zst").write_bytes(zstd.compress((folder / "plain").read_bytes(), 3))
    (folder / "plain").unlink()
    return Given([f"{FILE}.zst"])


def secrets_of_damaged(folder: Path, scale: float) -> Given:
    """Passwords in messages that are cut, damaged, of unknown versions, and in unknown tagged fields"""
    login = b"\0alice\0" + MARKER.encode()
    tag = b"\1\x63" + varint(len(login)) + login
    scram = {"upsertions": [{"name": "u", "mechanism": 1, "iterations": 4096, "salt": b"s", "saltedPassword": login}]}
    config = {
        "resources": [{"resourceType": 2, "resourceName": "t", "configs": [{"name": "sasl.password", "value": MARKER}]}]
    }
    connection = Connection()

    def packets() -> Iterator[bytes]:
        yield from connection.open()
        yield from connection.calls(heartbeat(1))
        number = 2
        for key, version, value in ((36, 2, {"authBytes": login}), (51, 0, scram), (33, 2, config), (44, 1, config)):
            whole = body(key, version, "request", value)
            answer = response(key, version, number, body(key, version, "response", {}))
            for content in (whole[:-1] + tag, whole[:-1], whole + b"left behind " + login, b"\x7f" * 3 + whole):
                answer = response(key, version, number, body(key, version, "response", {}))
                yield from connection.calls((request(key, version, number, content), answer))
                number += 1
            yield from connection.calls(
                (request(key, 99, number, whole), answer[:4] + struct.pack(">i", number) + answer[8:])
            )
            number += 1
        yield from connection.send(0, request(36, 2, number, whole)[:40])

    write_pcap(folder / FILE, packets())
    return Given([FILE])


NAMES = (
    "ssl.keystore.password ", "db.pwd", "apikey", "secretAccessKey", "client.secret.value", "private.key.pem",
    "encryption.key", "DB_PASSWD", "aws.secret.access.key.id", "Authorization", "sasl.jaas.config.old", "keyPassphrase",
)  # fmt: skip
"""Names of settings whose values are secret."""


def secrets_by_name(folder: Path, scale: float) -> Given:
    """Secret settings of plug-ins by 12 names, in URLs and in JAAS strings"""
    configs = [{"name": name, "value": MARKER} for name in NAMES]
    configs.append({"name": "connection.url", "value": f"jdbc:postgresql://bob:{MARKER}@db/x?password={MARKER}"})
    jaas = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="b" password="{MARKER}";'
    configs.append({"name": "producer.override.login", "value": jaas})
    asked = {"resources": [{"resourceType": 2, "resourceName": "t", "configs": configs}]}
    write_pcap(folder / FILE, conversation(call(33, 1, 2, asked, {}), call(44, 1, 3, asked, {})))
    return Given([FILE])


def records_amplified(folder: Path, scale: float) -> Given:
    """40 Produce requests, each of a gzip batch of 300,000 empty records"""
    count = int(300_000 * scale)
    packed = batch(gzip.compress(record(b"", b"") * count), count, 1)
    write_pcap(folder / FILE, conversation(*(produce(number, packed) for number in range(2, 42))))
    return Given([FILE])


def control_characters(folder: Path, scale: float) -> Given:
    """Terminal sequences, line ends and bidirectional marks in every name"""
    evil = "\x1b]0;owned\x07\r\n\x1b[2J\x9b31m\u202egpj.\x00"
    calls = [
        heartbeat(2, evil, evil),
        call(3, 1, 3, {"topics": [{"name": evil}]}, {"topics": [{"errorCode": 3, "name": evil}]}),
        produce(4, batch(record(evil.encode(), evil.encode()), 1), evil),
        call(36, 1, 5, {"authBytes": b"\0" + evil.encode() + b"\0x"}, {"errorCode": 58, "errorMessage": evil}),
        call(18, 3, 6, {"clientSoftwareName": evil, "clientSoftwareVersion": evil}, {}),
        call(10, 1, 7, {"key": evil}, {"errorCode": 15, "errorMessage": evil, "host": evil}),
    ]
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE], timeline=f"group={evil[:-1]}")


def colliding_ids(folder: Path, scale: float) -> Given:
    """20,000 requests that wait, whose correlation ids share their low bits, and producer ids of one hash"""
    count = int(20_000 * scale)
    waiting = [heartbeat((number << 16) % (1 << 31) | number >> 15) for number in range(2, 2 + count)]
    ids = [0, HASH_MODULUS, 2 * HASH_MODULUS, 3 * HASH_MODULUS]
    records = b"".join(batch(record(b"", b""), 1, producer_id=ids[each % 4], base_offset=each) for each in range(1_000))

    def packets() -> Iterator[bytes]:
        connection = Connection()
        yield from connection.open()
        yield from connection.calls(heartbeat(1))
        yield from connection.send(0, b"".join(asked for asked, _ in waiting))
        yield from connection.send(1, b"".join(answered for _, answered in waiting))
        yield from connection.calls(produce(0x7FFFFFFF, records))

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def patterns(folder: Path, scale: float) -> Given:
    """Client ids, settings, SCRAM and OAUTHBEARER tokens of 30 kB on which regular expressions turn back"""
    size = int(30_000 * scale)

    def filled(*parts: str) -> list[str]:
        return [(part * size)[:size] for part in parts]

    calls = [heartbeat(number, "g", name) for number, name in enumerate(filled("@ ", "@", "a@ (", "consumer-1-"), 2)]
    values = filled("://", "://a:b", ":thin:a/", 'a="', "Bearer ", "-----BEGIN A", "password=", "a='\\", "=\n ")
    configs = [{"name": value, "value": value} for value in values]
    asked = {"resources": [{"resourceType": 2, "resourceName": "t", "configs": configs}]}
    calls.append(call(33, 1, 10, asked, {}))
    calls.append(call(17, 1, 11, {"mechanism": "SCRAM-SHA-256"}, {}))
    tokens = filled("n,,n=", "n,a=", "p=a", "n,,\x01", "n,,\x01auth=bearer  ", "y,a=,")
    calls += [call(36, 1, number, {"authBytes": token}, {}) for number, token in enumerate(tokens, 12)]

    def packets() -> Iterator[bytes]:
        yield from conversation(*calls)
        # The rules look at the first client id of a connection.
        for number, message in enumerate(calls[:4], 2):
            connection = Connection(number)
            yield from connection.open()
            yield from connection.calls(message)

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def tagged_fields(folder: Path, scale: float) -> Given:
    """A Heartbeat with 500,000 unknown tagged fields"""
    count = int(500_000 * scale)
    tags = varint(count) + b"".join(varint(tag) + b"\0" for tag in range(count))
    asked = {"groupId": "g", "generationId": 1, "memberId": "m"}
    content = body(12, 4, "request", asked, tags)
    answer = response(12, 4, 2, body(12, 4, "response", {}))
    write_pcap(folder / FILE, conversation((request(12, 4, 2, content), answer)))
    return Given([FILE])


def empty_elements(folder: Path, scale: float) -> Given:
    """6 Metadata requests of 400,000 topics with names of no byte, answered"""
    count = int(400_000 * scale)
    names = struct.pack(">i", count) + b"\0\0" * count
    calls = [
        (request(3, 1, number, names), response(3, 1, number, body(3, 1, "response", {}))) for number in range(2, 8)
    ]
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE])


def announced_elements(folder: Path, scale: float) -> Given:
    """300 messages whose arrays announce 2^31 - 1 elements, or as many as bytes are left"""
    calls = []
    for number in range(2, 2 + int(300 * scale)):
        filling = bytes(2_000)
        count = 0x7FFFFFFF if number % 2 else len(filling)
        content = struct.pack(">i", count) + filling
        calls.append((request(3, 0, number, content), response(3, 0, number, content)))
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE])


def nested_envelopes(folder: Path, scale: float) -> Given:
    """Envelopes within Envelopes, 2,000 deep"""
    content = body(12, 0, "request", {"groupId": "g", "memberId": "m"})
    inner = request(12, 0, 1, content)[4:]
    for number in range(int(2_000 * scale)):
        asked = body(58, 0, "request", {"requestData": inner, "clientHostAddress": b"\1\1\1\1"})
        inner = request(58, 0, number, asked)[4:]
    whole = struct.pack(">i", len(inner)) + inner
    write_pcap(folder / FILE, conversation((whole, response(58, 0, int(2_000 * scale) - 1, b"\0\0\0\0"))))
    return Given([FILE])


def nested_metrics(folder: Path, scale: float) -> Given:
    """A metric within a metric, 2,000 deep"""
    from backports import zstd

    inner = b""
    for _ in range(int(2_000 * scale)):
        inner = _field(6, inner) if len(inner) < 60_000 else inner
    value = _field(1, _field(1, _field(1, b"k") + _field(2, inner)))
    metrics = zstd.compress(_field(1, value))
    asked = {"compressionType": 4, "metrics": metrics}
    write_pcap(folder / FILE, conversation(call(72, 0, 2, asked, {})))
    return Given([FILE])


def records_headers(folder: Path, scale: float) -> Given:
    """A batch of one record with 400,000 headers of no byte, and one of lz4 that states 2^62 bytes"""
    count = int(400_000 * scale)
    headers = zigzag(count) + b"\0\0" * count
    many = batch(record(b"", b"", headers), 1)
    stated = bytes.fromhex("04224d1868") + b"\x40" + struct.pack("<Q", 1 << 62)
    calls = [produce(2, many), produce(3, batch(stated + b"\0" * 20, 1, 3))]
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE])


def snappy_sizes(folder: Path, scale: float) -> Given:
    """Snappy of stated sizes: 100 blocks that expand 21 times to 100 MB each, and 2^32 - 1 in 10 bytes"""
    size = int(100_000_000 * scale)
    literal = b"\0x"
    copies = b"\xfe\x01\x00" * ((size - 1) // 64)
    stated = 1 + 64 * ((size - 1) // 64)
    block = varint(stated) + literal + copies
    calls = [produce(2, batch(varint(0xFFFFFFFF) + b"\0xxxxx", 1, 2))]
    framed = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1) + (struct.pack(">i", 4) + b"\1\0x\0") * 3
    calls.append(produce(3, batch(framed, 1, 2)))
    empty = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1) + (struct.pack(">i", 1) + b"\0") * int(200_000 * scale)
    calls.append(produce(4, batch(empty, 1, 2)))
    calls.append(produce(5, batch(block, stated, 2)))
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE])


def lz4_and_gzip_bombs(folder: Path, scale: float) -> Given:
    """20 batches of lz4 and 20 of gzip and of zstd that hold 100 MB of zeros each"""
    import lz4.frame
    from backports import zstd

    zeros = bytes(int(100_000_000 * scale))
    packed = [
        batch(lz4.frame.compress(zeros), 1, 3),
        batch(gzip.compress(zeros), 1, 1),
        batch(zstd.compress(zeros, 19), 1, 4),
    ]
    calls = [produce(2 + number, packed[number % 3]) for number in range(60)]
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE])


def many_batches(folder: Path, scale: float) -> Given:
    """A Fetch answer of 20,000 empty batches"""
    one = batch(b"", 0)
    records = one * int(20_000 * scale)
    partition = {"partitionIndex": 0, "records": records}
    answered = {"responses": [{"topic": "t", "partitions": [partition]}]}
    write_pcap(folder / FILE, conversation(call(1, 4, 2, {"topics": []}, answered)))
    return Given([FILE])


def random_bodies(folder: Path, scale: float) -> Given:
    """1,000 messages of random bytes under every API and version"""
    rng = Random(1)
    calls = []
    from kafkasniff.protocol.api_table import APIS

    for number in range(2, 2 + int(1_000 * scale)):
        key = rng.choice(list(APIS))
        version = rng.randint(APIS[key].first_version, APIS[key].last_version)
        calls.append(
            (
                request(key, version, number, rng.randbytes(rng.randrange(600))),
                response(key, version, number, rng.randbytes(rng.randrange(600))),
            )
        )
    write_pcap(folder / FILE, conversation(*calls))
    return Given([FILE])


MESSAGES: tuple[Case, ...] = tuple(
    map(
        case,
        (
            gssapi, telemetry, telemetry_strings, group_ids, secrets_of_damaged, secrets_by_name, records_amplified,
            control_characters, colliding_ids, patterns, tagged_fields, empty_elements, announced_elements,
            nested_envelopes, nested_metrics, records_headers, snappy_sizes, lz4_and_gzip_bombs, many_batches,
            random_bodies,
        ),
    )
)  # fmt: skip
