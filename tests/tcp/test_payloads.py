"""Payloads of hand-made stretches by direction."""

import numpy as np
import pytest

from kafkasniff.tcp.columns import read_columns
from kafkasniff.tcp.payloads import find_payloads
from kafkasniff.tcp.runs import find_stretches
from tests.tcp.conversations import Talk, batch

REQUESTS = [b"a", b"bcd", b"ef", b"ghij", b"k"]
RESPONSES = [b"ABCDE", b"F", b"GH", b"IJK", b"LM"]


@pytest.mark.parametrize("first", range(0, 15, 2))
def test_each_direction_has_its_payloads_from_any_row_on(first: int) -> None:
    talks = [Talk(), Talk(client_port=40_001)]
    for request, response in zip(REQUESTS, RESPONSES, strict=True):
        for talk in talks:
            talk.send(0, request).send(1, response).send(0)
    # What both sent in turn, packet by packet, so that the stretches lie within each other.
    packets = batch([frame for pair in zip(*(talk.frames for talk in talks), strict=True) for frame in pair])
    columns = read_columns(packets)
    stretches = find_stretches(columns, packets.data, np.arange(len(packets)))
    payloads = find_payloads(stretches, columns.payload)
    sent = [data for pair in zip(REQUESTS, RESPONSES, strict=True) for data in (*pair, b"")][first:]
    for number, start in enumerate(stretches.starts):
        end = stretches.ends[number]
        sides = [payloads.side(number, larger, start + first, end) for larger in (0, 1)]
        found = [
            [packets.data[at + shift : stop + shift] for at, stop, shift in zip([0, *ends], ends, shifts, strict=False)]
            for _, ends, shifts, *_ in sides
        ]
        expected = [[data for data in sent if data in texts] for texts in (REQUESTS, RESPONSES)]
        assert sorted(found) == sorted(expected)
        for side in sides:
            lengths = [len(data) for data in REQUESTS + RESPONSES if data in sent and data in found[sides.index(side)]]
            assert not lengths or (side.largest, side.as_large) == (max(lengths), lengths.count(max(lengths)))
        assert all([*side.packets] == sorted(side.packets) == [*side.delivered_by] for side in sides)
