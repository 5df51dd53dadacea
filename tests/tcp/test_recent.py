"""What a stream remembers of runs is what it would remember of their segments one by one."""

import pickle
from array import array
from random import Random

from kafkasniff.capture.packets import Arrival, Interface, PacketBatch
from kafkasniff.tcp.events import Connection, Endpoint, RunSide, StreamData, StreamGap
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.memory import Memory
from kafkasniff.tcp.recent import Recent
from kafkasniff.tcp.streams import Stream

INTERFACE = Interface("hand-made", 1)


def connection() -> Connection:
    arrival = Arrival(1, 1, INTERFACE)
    return Connection((Endpoint("10.0.0.1", 50_000), Endpoint("10.0.0.2", 9092)), 0, arrival, arrival)


OF = connection()


def made_run(parts: list[bytes], time: int) -> tuple[PacketBatch, RunSide]:
    """Give a run of segments that came at `time` and after it, each with a byte before it in the buffer."""
    count = len(parts)
    data = b"".join(b"#" + part for part in parts)
    lengths = [len(part) for part in parts]
    ends = [sum(lengths[: index + 1]) for index in range(count)]
    offsets = [end - length + index + 1 for index, (end, length) in enumerate(zip(ends, lengths, strict=True))]
    columns = [array("q", offsets), array("q", lengths), array("q", lengths)]
    times = array("q", range(time, time + count))
    batch = PacketBatch(data, 1, *columns, times, array("q", [0] * count), [INTERFACE])
    packets, shifts, largest = list(range(count)), [index + 1 for index in range(count)], max(lengths, default=0)
    return batch, RunSide(packets, ends, shifts, packets, largest, lengths.count(largest))


def contents(recent: Recent) -> list[tuple[bytes, int] | int | None]:
    found: list[tuple[bytes, int] | int | None] = []
    for each in recent.delivered:
        if isinstance(each, StreamGap):
            found.append(each.length)
        else:
            found.append((each.data, each.arrival.time) if isinstance(each, StreamData) else each)
    return found


def test_runs_are_remembered_like_their_segments() -> None:
    rng = Random(7)
    for _ in range(60):
        at_once, one_by_one = Recent(), Recent()
        time = 0
        for _ in range(rng.randrange(1, 9)):
            if rng.random() < 0.3:
                gap = StreamGap(OF, 0, rng.randrange(9), Arrival(time, 1, INTERFACE), False)
                at_once.add(gap)
                one_by_one.add(gap)
                continue
            parts = [bytes([rng.randrange(256)]) * rng.randrange(1, 4) for _ in range(rng.randrange(1, 150))]
            at_once.add_run(*made_run(parts, time))
            for part in parts:
                arrival = Arrival(time, 1, INTERFACE)
                one_by_one.add(StreamData(OF, 0, part, arrival, arrival))
                time += 1
            assert len(at_once) == len(one_by_one) <= 64
            if rng.random() < 0.3:
                at_once.copy()
        assert contents(at_once) == contents(one_by_one)


def test_no_buffer_is_kept_but_the_last() -> None:
    memory = Memory(TcpLimits(), TcpCounters())
    stream = Stream(OF, 0, memory)
    batch, side = made_run([b"abc", b"de"], 5)
    stream.recent = Recent()
    stream.recent.add_run(batch, side)
    memory.borrowing[stream] = None
    memory.end_batch(batch)
    assert stream.recent.batch is batch
    memory.end_batch(made_run([b"x"], 9)[0])
    assert stream.recent.batch is None
    assert contents(stream.recent) == [(b"abc", 5), (b"de", 6)]
    assert not memory.borrowing


def test_what_is_carried_elsewhere_holds_no_buffer() -> None:
    recent = Recent()
    batch, side = made_run([b"one", b"two"], 5)
    recent.add_run(batch, RunSide(*(memoryview(array("q", column)) for column in side[:4]), *side[4:]))
    carried = pickle.loads(pickle.dumps(recent))
    assert carried.batch is None
    assert contents(carried) == [(b"one", 5), (b"two", 6)]
