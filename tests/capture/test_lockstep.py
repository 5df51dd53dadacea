"""Many walkers at once find the records that one walker finds."""

import io
import struct
from random import Random

import numpy as np
import pytest

from kafkasniff.capture import pcap
from kafkasniff.capture.lockstep import Numbers, walk_lockstep
from kafkasniff.capture.reader import CaptureReader

PACKETS = 12_000
SECONDS = 1_790_000_000


def chain(rng: Random, count: int) -> tuple[bytes, list[int]]:
    """Records of two bytes of length and as many others, which look like lengths themselves."""
    data, positions = bytearray(), []
    for _ in range(count):
        length = rng.randrange(60)
        positions.append(len(data))
        data += struct.pack("<H", length) + bytes(rng.choice((0, 3, 7)) for _ in range(length))
    return bytes(data), positions


def walk(data: bytes, guesses: list[int]) -> list[int]:
    def following(positions: Numbers) -> Numbers:
        lengths = np.ndarray((len(data) - 1,), "<u2", data, 0, (1,))
        return positions + 2 + lengths[positions]

    return [int(position) for position in walk_lockstep(following, 0, guesses, len(data))]


@pytest.mark.parametrize("seed", range(20))
def test_true_guesses_find_every_record(seed: int) -> None:
    rng = Random(seed)
    data, positions = chain(rng, 500)
    assert walk(data, rng.sample(positions, 20)) == positions


@pytest.mark.parametrize("seed", range(20))
def test_wrong_guesses_end_the_proof_and_invent_nothing(seed: int) -> None:
    rng = Random(seed)
    data, positions = chain(rng, 500)
    wrong = next(place for place in range(positions[200] + 1, len(data)) if place not in positions)
    found = walk(data, [*rng.sample(positions, 20), wrong])
    assert found == positions[: len(found)]
    assert len(found) >= 200


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D, 0xA1B2CD34])
def test_pcap_records_are_those_that_were_written(order: str, magic: int) -> None:
    """Also where payloads are full of what looks like record headers."""
    rng = Random(magic)
    file = io.BytesIO()
    file.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65_535, 1))
    padding = bytes(8) if magic == 0xA1B2CD34 else b""
    fraction_ns = 1 if magic == 0xA1B23C4D else 1_000
    written = []
    for number in range(PACKETS):
        length = rng.choice((60, 66, 400, 1514))
        seconds, original = SECONDS + number // 100, length + number % 2
        header = struct.pack(order + "IIII", seconds, number, length, original)
        payload = (header * 100)[:length] if rng.random() < 0.3 else rng.randbytes(length)
        written.append((payload, original, seconds * 10**9 + number * fraction_ns))
        file.write(header + padding + payload)
    file.seek(0)
    reader = CaptureReader(file)
    read = []
    for batch in reader:
        assert batch.first_packet == len(read) + 1
        for at, captured, original, time in zip(
            batch.offsets, batch.captured, batch.original, batch.times, strict=True
        ):
            read.append((batch.data[at : at + captured], original, time))
    assert reader.damage is None
    assert read == written


def test_damage_in_the_middle_is_found_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [struct.pack("<IIII", SECONDS, 0, 100, 100) + bytes(100) for _ in range(PACKETS)]
    records[9_000] = struct.pack("<IIII", SECONDS, 0, 1 << 30, 1 << 30) + bytes(100)
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1) + b"".join(records)
    outcomes = []
    for lockstep_records in (pcap.LOCKSTEP_RECORDS, 1 << 40):
        monkeypatch.setattr(pcap, "LOCKSTEP_RECORDS", lockstep_records)
        reader = CaptureReader(io.BytesIO(content))
        outcomes.append((sum(map(len, reader)), str(reader.damage)))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 9_000
