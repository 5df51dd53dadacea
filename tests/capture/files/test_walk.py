from kafkasniff.capture.files.walk import PCAPNG_MAGIC, Columns
from kafkasniff.capture.packets import Interface
from tests.capture.samples import section


def test_columns_become_a_batch() -> None:
    columns = Columns()
    columns.add(24, 60, 1_500, 1_000, 0)
    columns.add(100, 40, 40, 2_000, 0)
    batch = columns.batch(bytes(200), 5, [Interface("made.pcap", 1)])
    assert [list(each) for each in (batch.offsets, batch.captured, batch.original, batch.times)] == [
        [24, 100],
        [60, 40],
        [1_500, 40],
        [1_000, 2_000],
    ]
    assert (batch.arrival(1).packet, batch.arrival(1).time) == (6, 2_000)


def test_the_magic_of_pcapng_reads_the_same_in_both_byte_orders() -> None:
    assert section("<")[:4] == section(">")[:4] == PCAPNG_MAGIC == PCAPNG_MAGIC[::-1]
