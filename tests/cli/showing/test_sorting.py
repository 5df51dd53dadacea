"""`read --sort request`: lines in the order of requests, also those that did not fit into memory."""

import io
import json
from random import Random

import pytest

from kafkasniff.cli.showing.sorting import RequestOrder
from kafkasniff.cli.terminal.output import Output
from tests.cli.conftest import Run

PCAP = "java-4.3.1-basic.pcap"


class Stream(io.BytesIO):
    def fileno(self) -> int:
        return -1


@pytest.mark.parametrize("run_bytes", [1, 5_000, 1 << 30])
def test_lines_come_in_the_order_of_their_times_whatever_fits_into_memory(run_bytes: int) -> None:
    random = Random(7)
    lines = [
        (random.randrange(50), bytes([65 + place % 26]) * random.randrange(1, 3000) + b"\n") for place in range(80)
    ]
    lines.append((25, b"x" * 200_000 + b"\n"))
    order = RequestOrder(lambda time: b"above %d\n" % time, run_bytes)
    for time, line in lines:
        order.add(time, line)
    stream = Stream()
    output = Output(stream)
    order.write(output)
    output.flush()
    expected = b"".join(b"above %d\n" % time + line for time, line in sorted(lines, key=lambda each: each[0]))
    assert stream.getvalue() == expected


def test_lines_are_the_same_in_another_order(run: Run) -> None:
    usual = run("read", PCAP, "--time-of", "request").stdout.splitlines()
    lines = run("read", PCAP, "--sort", "request").stdout.splitlines()
    assert sorted(lines) == sorted(usual)
    times = [line.split()[1] for line in lines]
    assert times == sorted(times) != [line.split()[1] for line in usual]
    times = [json.loads(line)["time"] for line in run("read", PCAP, "--sort", "request", "--json").stdout.splitlines()]
    assert times == sorted(times)


@pytest.mark.parametrize("options", [("--limit", "3"), ("--time", "delta")])
def test_what_needs_the_other_order_is_refused(run: Run, options: tuple[str, str]) -> None:
    done = run("read", PCAP, "--sort", "request", *options)
    assert done.returncode == 2
    assert f"{options[0]}: it counts calls in the order in which they ended" in " ".join(done.stderr.split())
