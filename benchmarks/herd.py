"""Make rotated captures of thousands of connections beside one elephant: what `benchmarks.pipeline` measures on.

Of the bytes about half are the elephant's, which produces; 400 connections produce and fetch large batches, and 1,600
make small calls: groups, idle fetches, small produces, monitors. All last from the first file to the last, so that the
first files of many are a smaller capture of the same connections. The same number of files gives the same bytes.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import BinaryIO

from benchmarks import roles
from benchmarks.batches import make_batches
from benchmarks.conversations import Exchange, Tally, converse
from benchmarks.framing import Connection, Packet, PcapWriter, interleave
from benchmarks.workloads import BROKER_HOSTS, BULK_RECORDS, START, Connections, _client

FILE_BYTES = 250_000_000
_BULK = 400
_SMALL = 1_600
# Mean rests between rounds in microseconds, by which the shares of the bytes come out.
_ELEPHANT_PAUSE = 500
_BULK_PAUSE = 5_600_000
_SMALL_PAUSE = 620_000


class Herd:
    """Writes the files."""

    def __init__(self, files: int) -> None:
        """Make so many files of about `FILE_BYTES`."""
        self._bytes = files * FILE_BYTES
        self._tally = Tally()
        self._written = 0

    def write(self, folder: Path) -> None:
        """Write into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        packets = interleave(self._connections())
        for number in itertools.count():
            first = next(packets, None)
            if first is None:
                break
            with (folder / f"part_{number:03}.pcap").open("wb", buffering=1 << 20) as file:
                self._fill(file, itertools.chain([first], packets))

    def _fill(self, file: BinaryIO, packets: Iterator[Packet]) -> None:
        writer = PcapWriter(file)
        before = self._written
        for packet in packets:
            writer.write(packet)
            self._written = before + writer.size_bytes
            # What says goodbye at the end stays in the last file.
            if writer.size_bytes >= FILE_BYTES and self._goes_on():
                break

    def _goes_on(self) -> bool:
        return self._written < self._bytes

    def _connections(self) -> Connections:
        batches = make_batches(Random("bulk batches"), 16, BULK_RECORDS)
        small = make_batches(Random("small batches"), 40, range(1, 6))
        for number in range(1 + _BULK + _SMALL):
            random = Random(f"herd {number}")
            broker = number % len(BROKER_HOSTS)
            connection = Connection(_client(number), BROKER_HOSTS[broker], START + number * 500, random)
            exchanges: Iterator[Exchange]
            if number == 0:
                name, window, pause = "elephant", 5, _ELEPHANT_PAUSE
                exchanges = roles.bulk_producer(connection, broker, batches, False, random)
            elif number <= _BULK:
                pause = _BULK_PAUSE
                if number % 2:
                    name, window = "producer", 5
                    exchanges = roles.bulk_producer(connection, broker, batches, False, random)
                else:
                    name, window = "consumer", 1
                    exchanges = roles.bulk_consumer(connection, broker, batches, False, random)
            else:
                pause = _SMALL_PAUSE
                match number % 10:
                    case 0 | 1 | 2 | 3:
                        name, window = "member", 3
                        exchanges = roles.group_member(f"service-{number % 40:02d}", random)
                    case 4 | 5:
                        name, window = "fetcher", 1
                        exchanges = roles.idle_consumer(connection, broker, small, random)
                    case 6 | 7 | 8:
                        name, window = "small-producer", 4
                        exchanges = roles.small_producer(connection, broker, small, random)
                    case _:
                        name, window, exchanges = "lag-exporter", 4, roles.monitor(random)
            talk = converse(
                connection,
                f"{name}-{number}",
                roles.greet(roles.OLD_RELEASE, roles.TOPICS[:3], random),
                exchanges,
                window=window,
                tally=self._tally,
                random=random,
                pause=pause,
                goes_on=self._goes_on,
            )
            yield connection.time, talk
