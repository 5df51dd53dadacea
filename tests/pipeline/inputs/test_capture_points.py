from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.inputs.capture_points import overlap

SECOND = 1_000_000_000


def parallel(*spans):
    return overlap([FileReport(number, first_time=first, last_time=last) for number, (first, last) in enumerate(spans)])


def test_files_that_follow_each_other_are_of_one_capture_point():
    assert not parallel((0, 10 * SECOND), (20 * SECOND, 30 * SECOND), (10 * SECOND, 20 * SECOND))


def test_packets_a_little_out_of_order_at_the_border_are_of_one_capture_point():
    assert not parallel((0, 10 * SECOND), (10 * SECOND - 500, 20 * SECOND))


def test_files_of_the_same_time_are_of_several_capture_points():
    assert parallel((0, 10 * SECOND), (5, 11 * SECOND))


def test_a_file_without_packets_belongs_to_its_ring():
    assert not parallel((0, 10 * SECOND), (None, None))
