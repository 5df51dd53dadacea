"""What totals cost: `python -m benchmarks.totals [--rounds 5] [--rate 20000] [--seconds 10]`, as root.

tcpreplay sends a synthetic capture of small calls through a pair of interfaces, with other addresses each time it comes
to its end. `kafkasniff live --json` with its output thrown away, and `kafkasniff live --top --metrics`, whose screen is
a terminal of 100 by 40 and whose metrics are scraped every 15 seconds, take turns. Prints medians of the CPU time a
packet as Markdown. Nothing is asserted.

With `--clients N` it feeds the totals N calls of N client ids instead, with 1,440 scrapes (one a minute, were it a
day), and prints memory and series. A day passes meanwhile by `faketime -f '+0 x600' python -m benchmarks.totals …`.
"""

import argparse
import fcntl
import os
import pty
import re
import resource
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.live import FAR, NEAR, PATIENT_BUFFER_MIB, REPEATS, SIZES, wire
from benchmarks.measure import machine
from benchmarks.read import prepare

PORT = 9308
BUFFER = ["--buffer", str(PATIENT_BUFFER_MIB)]
LIVE = [sys.executable, "-m", "kafkasniff", "live", NEAR, *BUFFER]
COMMANDS = {
    "live --json": [*LIVE, "--json"],
    "live --top --metrics": [*LIVE, "--top", "--metrics", f"127.0.0.1:{PORT}"],
}
PACKETS = re.compile(r"^([\d,]+) packets", re.M)
SCRAPE_SECONDS = 15.0
MINUTES_OF_DAY = 1_440


def attempt(command: list[str], capture: Path, rate: int, seconds: int) -> tuple[int, float, str]:
    """Replay for some seconds; give how many packets the command saw, its CPU seconds, and its closing line."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    # JSON goes nowhere, the screen to a terminal.
    output: Any = theirs if "--top" in command else subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE)
    os.close(theirs)
    reader = threading.Thread(target=_discard, args=(ours,))
    reader.start()
    assert process.stderr is not None
    assert b"istening on" in process.stderr.readline()
    time.sleep(0.5)
    replay = subprocess.Popen(
        ["tcpreplay", "--quiet", "--preload-pcap", "--unique-ip", f"--loop={REPEATS}", f"--duration={seconds}",
         f"--pps={rate}", f"--intf1={FAR}", str(capture)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    next_scrape = time.monotonic() + SCRAPE_SECONDS
    while replay.poll() is None:
        time.sleep(0.1)
        if "--metrics" in command and time.monotonic() >= next_scrape:
            next_scrape += SCRAPE_SECONDS
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics", timeout=30).read()
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    said = process.stderr.read().decode()
    _, _, used = os.wait4(process.pid, 0)
    reader.join()
    os.close(ours)
    found = PACKETS.search(said)
    assert found is not None, said
    return int(found[1].replace(",", "")), used.ru_utime + used.ru_stime, said.splitlines()[-1]


def _discard(descriptor: int) -> None:
    try:
        while os.read(descriptor, 1 << 16):
            pass
    except OSError:
        pass


def cost(rounds: int, rate: int, seconds: int) -> None:
    """Print what a packet costs each command."""
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        capture = prepare("small-calls", SIZES["small-calls"], Path(folder))
        for _ in range(rounds):
            for name, command in COMMANDS.items():
                packets, cpu, said = attempt(command, capture, rate, seconds)
                found[name].append(cpu / packets * 1e6)
                print(f"{name}: {cpu / packets * 1e6:.2f} µs a packet; {said}", file=sys.stderr)
    print(f"{machine()}; {rate:,} packets a second for {seconds} s, medians of {rounds}\n")
    print("| | CPU µs a packet | × the first |")
    print("| --- | ---: | ---: |")
    medians = {name: statistics.median(each) for name, each in found.items()}
    for name, median in medians.items():
        print(f"| `{name}` | {median:.2f} | {median / next(iter(medians.values())):.2f} |")


def many_clients(clients: int) -> None:
    """Print what totals hold of so many client ids, with a call of each."""
    from prometheus_client import CollectorRegistry, generate_latest

    from kafkasniff.metrics.exposition import Exposition
    from kafkasniff.metrics.state import State
    from kafkasniff.metrics.totals import Totals
    from tests.render.made_calls import made_call, request_bytes

    totals = Totals()
    registry = CollectorRegistry()
    registry.register(Exposition(totals, lambda: State(*[0] * 9)))
    answer = b"\0\0\0\7" + b"\0\0" + b"\0\0\0\1" + b"\0\x12\0\0\0\4"
    print(f"{machine()}\n\n| client ids | hours | peak RSS MB | series |\n| ---: | ---: | ---: | ---: |")
    began = time.monotonic()
    for number in range(1, clients + 1):
        totals.take([made_call(request_bytes(18, 0, 7, f"client-{number:08}", b""), answer)])
        if number % max(clients // MINUTES_OF_DAY, 1) == 0:
            generate_latest(registry)
        if number in (1_000, clients // 10, clients // 2, clients):
            series = sum(not line.startswith(b"#") for line in generate_latest(registry).splitlines())
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            print(f"| {number:,} | {(time.monotonic() - began) / 3600:.1f} | {peak:.1f} | {series:,} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rate", type=int, default=20_000, help="packets a second")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, help="measure memory and series with so many client ids instead")
    arguments = parser.parse_args()
    if arguments.clients:
        many_clients(arguments.clients)
        return
    if os.environ.get("KAFKASNIFF_OWN_NETWORK") is None:
        # All in a network of its own, which goes when this ends.
        os.environ["KAFKASNIFF_OWN_NETWORK"] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-m", "benchmarks.totals", *sys.argv[1:]])
    wire()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    cost(arguments.rounds, arguments.rate, arguments.seconds)


if __name__ == "__main__":
    main()
