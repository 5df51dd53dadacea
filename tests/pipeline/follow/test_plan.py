"""Of which capture a file is, by its name and by the times of what was read before."""

import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.plan import Plan, vantages_of
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.inputs.files import Input

SECOND = 1_000_000_000


def file_of(name):
    return Input(f"dir/{name}", 100, 0, b"", "dir/trace")


def spans(*seconds):
    """Give the report of each file, which holds packets from one second to another."""
    return [FileReport(part, 1, 0, first * SECOND, last * SECOND) for part, (first, last) in enumerate(seconds)]


def placed(state, names, *seconds, run=False):
    inputs = [file_of(name) for name in names]
    return vantages_of(state, Plan(1, inputs, run=run), inputs, spans(*seconds))


def test_files_that_follow_each_other_are_of_one_capture():
    state = State(buckets=1)
    assert placed(state, ["trace1", "trace2"], (10, 20), (20, 30)) == (["dir/trace"] * 2, frozenset())
    assert placed(state, ["trace3"], (30, 40)) == (["dir/trace"], frozenset())
    assert (state.begins, state.ends) == ({"dir/trace": 10 * SECOND}, {"dir/trace": 40 * SECOND})


def test_files_of_the_same_time_are_captures_of_their_own():
    assert placed(State(buckets=1), ["trace1", "trace2"], (10, 20), (15, 30)) == (
        ["dir/trace1", "dir/trace2"],
        frozenset(),
    )


def test_a_file_that_comes_too_late_is_a_capture_by_itself_and_ends():
    state = State(buckets=1)
    placed(state, ["trace2"], (20, 30))
    assert placed(state, ["trace1"], (10, 20)) == (["dir/trace1"], {"dir/trace1"})


def test_a_run_begins_again_where_a_file_comes_too_late():
    state = State(buckets=1)
    placed(state, ["trace2"], (20, 30), run=True)
    with pytest.raises(PipelineError, match="dir/trace1 begins before what was read of dir/trace"):
        placed(state, ["trace1"], (10, 20), run=True)


def test_a_run_begins_again_where_files_turn_out_to_be_of_the_same_time():
    state = State(buckets=1)
    placed(state, ["trace1"], (10, 20), run=True)
    with pytest.raises(PipelineError, match="files of dir/trace were captured at the same time"):
        placed(state, ["trace2", "trace3"], (20, 40), (25, 50), run=True)
