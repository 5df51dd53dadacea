from kafkasniff.pipeline.indexing import FileReport
from kafkasniff.pipeline.inputs import Input
from kafkasniff.pipeline.vantages import vantages_of

SECOND = 1_000_000_000


def vantages(*spans):
    inputs = [Input(f"trace-{number}.pcap", 0, 0, b"", "trace") for number in range(len(spans))]
    reports = [FileReport(number, first_time=first, last_time=last) for number, (first, last) in enumerate(spans)]
    return vantages_of(inputs, reports)


def test_files_that_follow_each_other_are_of_one_capture_point():
    assert vantages((0, 10 * SECOND), (20 * SECOND, 30 * SECOND), (10 * SECOND, 20 * SECOND)) == ["trace"] * 3


def test_packets_a_little_out_of_order_at_the_border_are_of_one_capture_point():
    assert vantages((0, 10 * SECOND), (10 * SECOND - 500, 20 * SECOND)) == ["trace"] * 2


def test_files_of_the_same_time_are_of_several_capture_points():
    assert vantages((0, 10 * SECOND), (5, 11 * SECOND)) == ["trace-0.pcap", "trace-1.pcap"]


def test_a_file_without_packets_belongs_to_its_ring():
    assert vantages((0, 10 * SECOND), (None, None)) == ["trace"] * 2
