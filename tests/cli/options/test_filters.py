import json

import pytest

from tests.cli.conftest import Run
from tests.conftest import CAPTURES

PCAP = "java-4.3.1-basic.pcap"
FACTS = json.loads((CAPTURES / "java-4.3.1-basic.json").read_text())
LOGGED = sum(count for name, count in FACTS["brokerLoggedCalls"].items() if name.split()[0] in ("FETCH", "PRODUCE"))
"""As the broker logged them."""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--host", "foo"], "for --host: 'foo' is no address such as 10.0.0.7"),
        (["--connection", "foo"], "for --connection: 'foo' is no connection such as"),
        (["--api", "fech"], "for --api: no API has the name or key 'fech'; did you mean Fetch"),
        (["--api", "fetch,fech"], "no API has the name or key 'fech'"),
        (
            ["--errors", "NOT_LEADER"],
            "for --errors: no error has the code or name 'NOT_LEADER'; did you mean NOT_LEADER_",
        ),
        (["--port", "http"], "for --port: 'http' is no port"),
        (["--slower-than", "5x"], "for --slower-than: '5x' is no duration"),
        (["--from", "soon"], "for --from: 'soon' is no time"),
        (
            ["--where", "topc == x"],
            "for --where: no field is called 'topc'; did you mean topic?\n  topc == x\n  ^^^^\n",
        ),
        (["--where", "error", "--where", "("], "for --where: expected a field such as api or (; it ends here"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("command", ["read", "diagnose", "live"])
def test_options_are_checked(run: Run, command: str, arguments: list[str], sentence: str) -> None:
    done = run(command, "lo" if command == "live" else PCAP, *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "closing"),
    [
        (["--api", "fetch,produce"], f" {LOGGED} of 108 calls match, "),
        (["--api", "fetch", "--api", "produce", "--where", "latency > 0ms"], f" {LOGGED} of 108 calls match, "),
        (["--where", "api == fetch or api == produce"], f" {LOGGED} of 108 calls match, "),
        (["--client-id", "shop-*"], " 108 of 108 calls match, "),
        (["--client-id", "!shop-*"], " 0 of 108 calls match, "),
        (["--topic", "nosuch"], "kafkasniff: 0 of 108 calls match; topics seen: __consumer_offsets, orders\n"),
        (["--group", "nosuch"], "kafkasniff: 0 of 108 calls match; groups seen: billing\n"),
        (["--api", "vote"], "kafkasniff: 0 of 108 calls match; APIs seen: ApiVersions, ConsumerGroupDescribe, "),
        (["--errors", "6"], "kafkasniff: 0 of 108 calls match; errors seen: "),
    ],
    ids=" ".join,
)
def test_the_end_says_how_many_matched(run: Run, arguments: list[str], closing: str) -> None:
    for more in ([], ["--json"]):
        done = run("read", PCAP, *arguments, *more)
        assert done.returncode == 0
        assert closing in done.stderr
    assert " 108 calls, " in run("read", PCAP).stderr


def test_diagnosis_of_what_matches(run: Run) -> None:
    everything = run("diagnose", PCAP)
    assert "filter" not in everything.stderr
    nothing = run("diagnose", PCAP, "--topic", "nosuch")
    assert nothing.stdout == ""
    assert "nothing could be judged: 108 calls that the filter left out" in nothing.stderr
    assert "topics seen: __consumer_offsets, orders" in nothing.stderr
    some = run("diagnose", PCAP, "--where", "client_id == shop-c1")
    assert "not judged: " in some.stderr
    assert " calls that the filter left out" in some.stderr
    assert "shop-p" not in some.stdout


def test_nothing_is_said_of_what_a_limit_left_unread(run: Run) -> None:
    for arguments in (["--limit", "1"], ["--api", "fetch", "--limit", "1"]):
        assert run("read", PCAP, *arguments).stderr == "stopped at --limit; the rest of the capture was not read\n"
