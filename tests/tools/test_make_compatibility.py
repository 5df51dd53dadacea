"""The matrix in docs/compatibility.md has the recordings that are there."""

from tests.conftest import SHARED, needs_shared
from tools.make_compatibility import BEGIN, END, PAGE, Row, facts_of, group_of, matrix


@needs_shared
def test_every_recording_is_in_the_matrix() -> None:
    table = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    groups = {group_of(facts) for _, facts in facts_of(SHARED / "captures" / "healthy")}
    rows = {tuple(line.split(" | ")[:2]) for line in table.splitlines()[2:-1]}
    assert rows == {(f"| {brokers}", clients) for (_, brokers), clients in groups}
    (total,) = [line for line in table.splitlines() if line.startswith("| all |")]
    # No body that the capture has whole is left unread.
    assert total.split(" | ")[8] == "0"


def test_rows_are_sorted_by_release_and_summed() -> None:
    new, old = (((4, 3, 1), "4.3.1, KRaft"), "kgo 1"), (((0, 10), "0.10, ZooKeeper"), "tools 0.10")
    lines = matrix({new: Row(1, 5, 10, 9, 1), old: Row(2, 1_000, 2_000, 2_000)}).splitlines()[2:]
    assert [line.split(" | ")[0] for line in lines] == ["| 0.10, ZooKeeper", "| 4.3.1, KRaft", "| all"]
    assert lines[2] == "| all |  | 3 |  | 1,005 | 2,010 | 2,009 | 1 | 0 | 0 |"
