import csv
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import TABLES
from tests.cli.conftest import Run
from tests.cli.hostile_calls import named_heartbeats
from tests.conftest import CAPTURES

NAME = "java-4.3.1-basic.pcap"


def counts(run: Run) -> dict[str, int]:
    """Count calls, errors and batches in the JSON lines."""
    lines = [json.loads(line) for line in run("read", NAME, "--json", "--connections").stdout.splitlines()]
    calls = [line for line in lines if line["type"] == "call"]
    return {
        "calls": len(calls),
        "errors": sum(len(line.get("errors", ())) for line in calls),
        "batches": sum(len(line.get("batches", ())) for line in calls),
        "connections": sum(line["type"] == "connection" for line in lines),
        "files": 1,
    }


@pytest.mark.parametrize("form", ["parquet", "csv", "arrow"])
def test_a_capture_without_calls_gives_tables_without_rows(run: Run, tmp_path: Path, form: str) -> None:
    empty = tmp_path / "empty.pcap"
    empty.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"))
    done = run("tables", str(empty), "-o", str(tmp_path / "out"), "--format", form)
    assert done.returncode == 0, done.stderr
    read = {"parquet": "read_parquet(?)", "csv": "read_csv(?, header = true)"}.get(form)
    for name, count in {"calls": 0, "clients": 0, "connections": 0, "files": 1}.items():
        path = tmp_path / "out" / f"{name}.{form}"
        if read is None:
            import pyarrow as pa

            assert pa.ipc.open_file(path).read_all().num_rows == count
        else:
            assert duckdb.execute(f"SELECT count(*) FROM {read}", [str(path)]).fetchall() == [(count,)]


@pytest.mark.parametrize("form", ["parquet", "csv", "arrow"])
def test_files_have_all_rows(run: Run, tmp_path: Path, form: str) -> None:
    done = run("tables", NAME, "-o", str(tmp_path / "out"), "--format", form)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / f"clients.{form}").exists()
    for name, count in counts(run).items():
        path = tmp_path / "out" / f"{name}.{form}"
        if form == "parquet":
            assert pq.read_metadata(path).num_rows == count
        elif form == "csv":
            with path.open(newline="") as stream:
                assert len(list(csv.DictReader(stream))) == count
        else:
            import pyarrow as pa

            assert pa.ipc.open_file(path).read_all().num_rows == count


def test_parquet_has_the_types_of_the_pipeline(run: Run, tmp_path: Path) -> None:
    run("tables", NAME, "-o", str(tmp_path), "--records", "--findings")
    for name, table in TABLES.items():
        found, expected = pq.read_schema(tmp_path / f"{name}.parquet"), schema_of(table)
        assert found.names == expected.names
        for column in found.names:
            # Names of the elements of lists differ between writers.
            pair = [str(each.field(column).type).replace("item:", "element:") for each in (found, expected)]
            assert pair[0].replace("element:", "") == pair[1].replace("element:", ""), column


def test_a_database_and_a_folder_can_be_asked(run: Run, tmp_path: Path) -> None:
    run("tables", NAME, "-o", str(tmp_path / "x.duckdb"))
    run("tables", NAME, "-o", str(tmp_path / "x"))
    query = "SELECT count(*) AS calls, count(DISTINCT client_id) AS clients FROM calls"
    answers = [run("sql", source, query, "--format", "json").stdout for source in (str(tmp_path / "x"), NAME)]
    answers.append(run("sql", str(tmp_path / "x.duckdb"), query, "--format", "json").stdout)
    assert {json.loads(answer)["calls"] for answer in answers} == {counts(run)["calls"]}
    assert len(set(answers)) == 1
    with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as database:
        [(calls,)] = database.sql("SELECT sum(calls) FROM clients").fetchall()
    assert calls == counts(run)["calls"]


def test_what_is_there_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    for place in ("x.duckdb", "x"):
        assert run("tables", NAME, "-o", str(tmp_path / place)).returncode == 0
        again = run("tables", NAME, "-o", str(tmp_path / place))
        assert again.returncode in (1, 2)
        assert "exists already" in again.stderr


def test_hostile_names_are_no_formulas_and_no_escape_sequences(run: Run, tmp_path: Path) -> None:
    names = ["shop", "=cmd()|'/C calc'!A0", "+1", "-1", "@x", "\x1b[2J\x07", "\u202egnp", '"quoted"\n', "x" * 10_000]
    capture = str(named_heartbeats(tmp_path / "hostile.pcap", names[1:]))
    run("tables", capture, "-o", str(tmp_path / "csv"), "--format", "csv")
    with (tmp_path / "csv" / "calls.csv").open(newline="") as stream:
        found = [row["client_id"] for row in csv.DictReader(stream)]
    assert len(found) == len(names)
    told = run("stats", capture, "--by", "client_id", "--csv")
    assert told.returncode == 0, told.stderr
    found += [row["client_id"] for row in csv.DictReader(told.stdout.splitlines())]
    for cell in found:
        assert cell[0] not in "=+-@\t\r"
        assert cell.isprintable()
    table = run("stats", capture, "--by", "client_id").stdout
    assert "\x1b" not in table
    assert max(map(len, table.splitlines())) < 200
    rows = [json.loads(line) for line in run("stats", capture, "--by", "client_id", "--json").stdout.splitlines()]
    assert {row["client_id"] for row in rows} == set(names)


def test_hostile_names_are_what_they_are_in_binary_formats(run: Run, tmp_path: Path) -> None:
    import pyarrow as pa

    names = ["shop", "=cmd()|'/C calc'!A0", "'; DROP TABLE calls; --", "\x1b[2J\x07", '"quoted"\n', "x" * 10_000]
    capture = str(named_heartbeats(tmp_path / "hostile.pcap", names[1:]))
    for form in ("parquet", "arrow"):
        assert run("tables", capture, "-o", str(tmp_path / form), "--format", form).returncode == 0
    assert run("tables", capture, "-o", str(tmp_path / "x.duckdb")).returncode == 0
    found = [
        pq.read_table(tmp_path / "parquet" / "calls.parquet")["client_id"].to_pylist(),
        pa.ipc.open_file(tmp_path / "arrow" / "calls.arrow").read_all()["client_id"].to_pylist(),
    ]
    with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as database:
        found.append([name for (name,) in database.sql("SELECT client_id FROM calls").fetchall()])
    assert [sorted(each) for each in found] == [sorted(names)] * 3


def test_what_to_install_is_said(environment: dict[str, str]) -> None:
    code = "import sys; sys.modules['duckdb'] = None; sys.argv = ['kafkasniff', 'stats', 'x.pcap']\n"
    code += "from kafkasniff.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'kafkasniff[sql]'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (("sql", NAME, "SELECT nothing FROM calls"), 1, '"nothing" not found in FROM clause! Candidate bindings: '),
        (("sql", NAME, "SELECT 1", "--format", "xml"), 2, "'xml' is none of table, csv, json"),
        (("sql", "SELECT 1"), 2, "expected a capture before the query"),
        (("stats", NAME, "--by", "colour"), 2, "'colour' is none of topic"),
        (("stats", NAME, "--by", "apiname"), 2, "; did you mean api_name?"),
        (("stats", NAME, "--sort", "colour"), 2, "'colour' is none of calls"),
        (("audit", NAME, "--target", "5.0"), 2, "'5.0' is none of 3.9.1"),
        (("stats", "not-there.pcap"), 1, "not-there.pcap"),
        (("tables", NAME, "-o", "x", "--format", "xml"), 2, "'xml' is none of parquet, csv, arrow"),
    ],
)
def test_errors_say_what_was_expected(run: Run, arguments: tuple[str, ...], status: int, text: str) -> None:
    done = run(*arguments)
    assert done.returncode == status
    assert text in done.stderr


def test_audit_fails_a_pipeline_where_something_is_too_old(run: Run) -> None:
    old, new = "cluster-0.8.2.2-startup-shutdown.pcap", NAME
    assert run("audit", old, "--target", "4.0", "--fail-on-refused").returncode == 3
    assert run("audit", new, "--target", "4.4", "--fail-on-refused").returncode == 0


def test_only_the_tables_asked_for_are_written(run: Run, tmp_path: Path) -> None:
    done = run("tables", NAME, "-o", str(tmp_path / "x"), "--tables", "errors,partitions")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "x").iterdir()} == {
        "clients.parquet",
        "errors.parquet",
        "partitions.parquet",
    }
    again = run("tables", NAME, "-o", str(tmp_path / "y"), "--tables", "colours")
    assert again.returncode == 2
    assert "'colours' is none of calls" in again.stderr


def test_an_answer_becomes_a_parquet_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "answer.parquet"
    done = run("sql", NAME, "SELECT api_name FROM calls;", "--format", "parquet", "-o", str(path))
    assert done.returncode == 0, done.stderr
    assert pq.read_metadata(path).num_rows == counts(run)["calls"]
    assert run("sql", NAME, "SELECT 1", "--format", "parquet").returncode == 2


def test_names_are_no_markup_in_markdown(run: Run, tmp_path: Path) -> None:
    capture = str(named_heartbeats(tmp_path / "hostile.pcap", ["a|b", "<script>", "[x](http://y)", "c\nd"]))
    lines = run("audit", capture, "--about", "security", "--format", "markdown").stdout.splitlines()
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    text = "\n".join(lines)
    assert "<script" not in text.replace("\\<", "")
    assert "[x]" not in text


def test_security_sets_the_exit_status(run: Run) -> None:
    assert run("audit", NAME, "--about", "security", "--fail-on-refused").returncode == 3


def test_stats_of_no_calls_are_one_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.pcap"
    path.write_bytes((CAPTURES / NAME).read_bytes()[:24])
    done = run("stats", str(path))
    assert done.stdout == "0 calls, 0 clients, 0 brokers, 0 topics\n"
    assert "there are no packets" in done.stderr


def test_long_tables_of_stats_say_how_much_is_left_out(run: Run) -> None:
    path = CAPTURES / "kraft3-admin-all.pcap"
    by_api = csv.DictReader(run("stats", path, "--by", "api_name", "--csv").stdout.splitlines())
    # Calls that wait on purpose are in a table of their own.
    others = [row for row in by_api if row["api_name"] not in ("FETCH", "JOIN_GROUP", "SYNC_GROUP", "SHARE_FETCH")]
    table = run("stats", path).stdout.partition("All others:\n")[2].partition("\n\n")[0].splitlines()
    assert len(table) == 2 + 20 + 1
    assert table[-1] == f"{len(others) - 20} more: --by api_name"
    first = run("stats", path, "--top", "3").stdout.partition("All others:\n")[2].partition("\n\n")[0].splitlines()
    assert len(first) == 2 + 3
