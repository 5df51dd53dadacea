"""Each bound has a name in --bounds, and is reported when it is reached."""

import gzip
import struct
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random

import pytest

from kafkasniff.calls.limits import CallLimits
from kafkasniff.cli.options.bounds import BOUNDS, Bounds
from kafkasniff.listening import LIVE_LIMITS
from kafkasniff.protocol.limits import MessageLimits
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.tls.context import TlsLimits
from tests.cli.conftest import Run
from tests.protocol.records.made_batches import CODECS, batch, record
from tests.robustness.bounds import (
    ACK,
    AFTER_ONE_CALL,
    ETHERNET,
    PSH,
    SYN,
    data,
    handshake,
    heartbeat,
    one_call,
    packet,
    produce_header,
    write_capture,
)

MIB = 1 << 20
PRODUCE_BYTES = 300_000
FRAGMENT = 60_000


def opened(*numbers: int) -> Iterator[bytes]:
    for number in numbers:
        yield from handshake(number)
        yield from one_call(number)


def large_message() -> Iterator[bytes]:
    yield from opened(1)
    yield from data(1, 2 * MIB + 4, produce_header(2 * MIB, 9), Random(1))


def unfinished_messages() -> Iterator[bytes]:
    yield from opened(1, 2, 3)
    streams = [data(number, MIB, produce_header(2 * MIB, 9), Random(1)) for number in (1, 2, 3)]
    yield from chain.from_iterable(zip(*streams, strict=True))


def segments_behind_holes(connections: int, size: int) -> Iterator[bytes]:
    yield from opened(*range(connections))
    client, server = AFTER_ONE_CALL
    for position in range(1, size // FRAGMENT):
        for number in range(connections):
            yield packet(number, True, client + position * FRAGMENT, server, ACK, bytes(FRAGMENT))


def waiting_requests(count: int, size: int) -> Iterator[bytes]:
    """Produce requests without answers, on a connection that answered one call."""
    yield from opened(1)
    sequence, acknowledged = AFTER_ONE_CALL
    for number in range(count):
        head = produce_header(size, 9 + number)
        message = head + bytes(size + 4 - len(head))
        for start in range(0, len(message), FRAGMENT):
            part = message[start : start + FRAGMENT]
            yield packet(1, True, sequence, acknowledged, PSH | ACK, part)
            sequence += len(part)
            yield packet(1, False, acknowledged, sequence, ACK)


def lost_boundary() -> Iterator[bytes]:
    """An impossible size, and random bytes behind it."""
    yield from opened(1)
    yield from data(1, 2 * MIB, struct.pack(">i", -5), Random(1))


def nothing_known() -> Iterator[bytes]:
    """Random bytes of a connection of which the capture lacks the beginning."""
    yield from opened(1)
    yield from data(2, 2 * MIB, b"\x80", Random(1))


def unanswered() -> Iterator[bytes]:
    yield from opened(1)
    sequence, acknowledged = AFTER_ONE_CALL
    for number in range(6):
        request, _ = heartbeat(9 + number)
        yield packet(1, True, sequence, acknowledged, PSH | ACK, request)
        sequence += len(request)
        yield packet(1, False, acknowledged, sequence, ACK)


def syns() -> Iterator[bytes]:
    for number in range(1, 9):
        yield packet(number, True, 1000, 0, SYN)
    yield from opened(0)


def fragments() -> Iterator[bytes]:
    """The first fragments of packets whose others never come."""
    for number in range(30):
        header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + FRAGMENT, number, 0x2000, 64, 6, 0)
        yield ETHERNET + header + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + bytes(FRAGMENT)
    yield from opened(0)


def compressed_records() -> Iterator[bytes]:
    """A Produce v3 request with 4 MiB of records in a gzip batch."""
    records = gzip.compress(b"".join(record(index, None, bytes(1 << 18)) for index in range(16)))
    batches = batch(records, 16, attributes=CODECS["gzip"])
    content = struct.pack(">hhih", 0, 3, 9, 5) + b"large" + struct.pack(">hhi", -1, -1, 30_000)
    content += struct.pack(">ih4siii", 1, 4, b"bulk", 1, 7, len(batches)) + batches
    message = struct.pack(">i", len(content)) + content
    sequence, acknowledged = AFTER_ONE_CALL
    yield from opened(1)
    yield packet(1, True, sequence, acknowledged, PSH | ACK, message)


def many_topics() -> Iterator[bytes]:
    """A Metadata v1 request that asks for 10,001 topics."""
    content = struct.pack(">hhih", 3, 1, 9, 5) + b"large" + struct.pack(">i", 10_001) + b"\0\1t" * 10_001
    sequence, acknowledged = AFTER_ONE_CALL
    yield from opened(1)
    yield packet(1, True, sequence, acknowledged, PSH | ACK, struct.pack(">i", len(content)) + content)


def tunnels(levels: int) -> Iterator[bytes]:
    """A segment of a connection in so many IP packets that each hold the next one (RFC 2003), and a call outside."""
    inner = packet(1, True, 0, 0, SYN)[len(ETHERNET) :]
    for _ in range(levels):
        header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(inner), 0, 0, 64, 4, 0)
        inner = header + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + inner
    yield ETHERNET + inner
    yield from opened(2)


def nested_metrics(levels: int) -> Iterator[bytes]:
    """A PushTelemetry v0 request with a resource whose one attribute is an array within arrays.

    Fields are those of opentelemetry/proto: MetricsData.resource_metrics 1, ResourceMetrics.resource 1,
    Resource.attributes 1, KeyValue.value 2, AnyValue.array_value 5, ArrayValue.values 1.
    """
    metrics = b"\x18\1"
    for number in (1, 1, 1, 2, *(5, 1) * ((levels - 4) // 2))[::-1]:
        metrics = bytes([number << 3 | 2]) + varint(len(metrics)) + metrics
    content = struct.pack(">hhih", 72, 0, 9, 5) + b"large\0" + bytes(16) + struct.pack(">i??", 1, False, False)
    content += varint(len(metrics) + 1) + metrics + b"\0"
    sequence, acknowledged = AFTER_ONE_CALL
    yield from opened(1)
    yield packet(1, True, sequence, acknowledged, PSH | ACK, struct.pack(">i", len(content)) + content)


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


@pytest.mark.parametrize(
    ("packets", "option", "said"),
    [
        (large_message(), "--bounds=message=1MiB", "message of 2097152 bytes: the first 65536 were kept"),
        (unfinished_messages(), "--bounds=held=1MiB", "all connections together held more than 1 MiB"),
        (segments_behind_holes(3, MIB), "--bounds=held=1MiB", "too many bytes of all connections waited behind holes"),
        (segments_behind_holes(1, MIB), "--bounds=held-each=1MiB", "too many bytes of a connection waited behind it"),
        (waiting_requests(5, PRODUCE_BYTES), "--bounds=held-each=1MiB", "too many requests wait for answers"),
        (unanswered(), "--bounds=pending=3", "too many requests wait for answers"),
        (lost_boundary(), "--bounds=searched=1MiB", "searched for messages in vain for more than 1 MiB"),
        (nothing_known(), "--bounds=undecided=1MiB", "nothing in its first 1 MiB proves it"),
        (opened(*range(20)), "--bounds=connections=5", "connection ended: too many connections, longest idle first"),
        (syns(), "--bounds=half-open=3", "half-open connection ended: too many of them: 6"),
        (fragments(), "--bounds=fragments=1MiB", "IP fragments dropped: too many bytes of them waited"),
        (compressed_records(), "--bounds=decompressed=1MiB", "gzip data of at most 1048576 bytes when decompressed"),
        (many_topics(), "--bounds=elements=10000", "expected at most 1000 array elements in a message shown in part"),
        (tunnels(3), "--bounds=depth=2", "packet left out: more than 2 tunnels within each other: 1"),
        (nested_metrics(20), "--bounds=depth=19", "expected at most 19 levels of messages, found more"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("--") else "",
)
def test_a_bound_is_reported_when_it_is_reached(
    run: Run, tmp_path: Path, packets: Iterator[bytes], option: str, said: str
) -> None:
    path = tmp_path / "made.pcap"
    write_capture(path, packets)
    with_option, without = (run("read", str(path), "--json", "--records", *options) for options in ([option], []))
    assert said in with_option.stdout + with_option.stderr
    assert said not in without.stdout + without.stderr


@pytest.mark.parametrize("command", ["read", "diagnose", "show"])
def test_a_capture_that_becomes_too_large_is_read_up_to_there(run: Run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "made.pcap"
    write_capture(path, chain(opened(1), (packet(1, True, 5, 5, PSH | ACK, bytes(60_000)) for _ in range(100))))
    packed = tmp_path / "made.pcap.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    command_line = [command, str(packed), *(["1"] if command == "show" else [])]
    with_option, without = (run(*command_line, *options) for options in (["--bounds=ratio=50"], []))
    assert (with_option.returncode, without.returncode) == (1, 0)
    assert "made.pcap.gz: byte 1" in with_option.stderr
    assert "more than 50 times (--bounds ratio)" in with_option.stderr
    assert "1 call" in with_option.stderr


@pytest.mark.parametrize(
    ("packets", "option", "said"),
    [
        (segments_behind_holes(1, MIB), "--bounds=held-each=1MiB", "too many bytes of a connection waited behind it"),
        (syns(), "--bounds=half-open=3", "half-open connection ended: too many of them: 6"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("--") else "",
)
def test_what_diagnose_reads_is_bounded_in_the_same_way(
    run: Run, tmp_path: Path, packets: Iterator[bytes], option: str, said: str
) -> None:
    path = tmp_path / "made.pcap"
    write_capture(path, packets)
    done = run("diagnose", str(path), option)
    assert done.returncode == 0
    assert said in done.stderr


def test_levels_as_many_as_may_be_asked_for_can_be_read_and_printed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "made.pcap"
    write_capture(path, nested_metrics(100))
    for form in ("--json", "-v", "-vv"):
        done = run("read", str(path), form, "--bounds=depth=100")
        assert (done.returncode, done.stderr.count("\n")) == (0, 1)
        assert "levels of messages" not in done.stdout
    assert run("read", str(path), "--bounds=depth=101").returncode == 2


def test_without_options_the_defaults_are_those_of_the_layers() -> None:
    assert Bounds().tcp_limits() == TcpLimits()
    assert Bounds().call_limits() == CallLimits()
    assert Bounds().tls_limits() == TlsLimits()
    assert Bounds().message_limits() == MessageLimits()
    assert Bounds(["held-tls=1MiB"]).tls_limits() == TlsLimits(held_per_connection=32 << 10, held_in_all=1 << 20)
    assert Bounds().tcp_limits(LIVE_LIMITS) == LIVE_LIMITS


def test_live_keeps_its_own_times() -> None:
    limits = Bounds(["connections=7"]).tcp_limits(LIVE_LIMITS)
    assert (limits.connections, limits.start_ns, limits.ended) == (7, LIVE_LIMITS.start_ns, LIVE_LIMITS.ended)


def test_several_bounds_in_one_option_and_in_several() -> None:
    limits = Bounds(["message=2GiB,pending=9", "depth=3"])
    assert limits.call_limits() == CallLimits(kept_message_bytes=2 << 30, pending_calls=9)
    assert limits.message_limits() == MessageLimits(depth=3)
    assert (limits.decompressed, limits.of_reading()["max_ratio"]) == (128 * MIB, None)


@pytest.mark.parametrize("command", ["read", "live", "diagnose"])
def test_one_option_stands_in_the_help_and_the_bounds_in_a_topic_of_it(run: Run, command: str) -> None:
    text = run(command, "--help").stdout
    assert "--bounds NAME=VALUE,..." in text
    assert "--max-" not in text
    assert "`kafkasniff help bounds`" in " ".join(text.split())
    topic = run("help", "bounds").stdout
    for name, bound in BOUNDS.items():
        assert f"  {name}={bound.value_text()} " in topic


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("messag=1MiB", "no bound is called 'messag'; did you mean message?"),
        ("message", "message: expected a size such as 64MiB or 1GiB, found ''"),
        ("message=5", "expected a size such as 64MiB or 1GiB, found '5'"),
        ("message=0MiB", "message: expected at least 1MiB, found 0MiB"),
        ("pending=5MiB", "pending: expected a whole number, found '5MiB'"),
        ("elements=9999", "elements: expected at least 10000, found 9999"),
        ("depth=101", "depth: expected at least 1 and at most 100, found 101"),
        ("pending=1,held=\x1b[1m", "found '\\x1b[1m'"),
    ],
)
def test_what_is_no_bound_is_refused(run: Run, given: str, said: str) -> None:
    done = run("read", "x.pcap", "--bounds", given)
    assert done.returncode == 2
    assert said in done.stderr
