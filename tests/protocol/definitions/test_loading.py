"""Definitions given to the command, on bytes that Kafka's own classes wrote."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.calls.exchanges import METADATA
from tests.cli.conftest import Run, environment, run
from tests.conformance.composed_captures import write
from tests.conformance.vector_rows import json_text
from tests.protocol.definitions.vendor import KEY, REQUEST, RESPONSE, exchanges, write_folder

__all__ = ["environment", "run"]


@pytest.fixture
def capture(tmp_path: Path) -> str:
    path = tmp_path / "vendor.pcap"
    write(path, [METADATA, *(exchange for exchange, _, _ in exchanges())])
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "message")


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_calls_of_an_api_that_is_given(run: Run, capture: str, folder: Path) -> None:
    done = run("read", "--json", "--definitions", str(folder), capture)
    _, *calls = lines(done.stdout)
    known = exchanges()
    assert len(calls) == len(known)
    for call, (_, request, response) in zip(calls, known, strict=True):
        assert call["requestHeader"]["requestApiKeyName"] == "ACME_CLUSTER"  # type: ignore[index]
        assert json_text(call["request"]) == json_text(request["json"])
        assert json_text(call["response"]) == json_text(response["json"])
        assert "problems" not in call
    _, *unknown = lines(run("read", "--json", capture).stdout)
    assert [(call["request"], call["response"]) for call in unknown] == [(None, None)] * len(known)


@pytest.mark.parametrize("form", ["folder", "jar", "folder of jars", "environment"])
def test_where_definitions_are(form: str, run: Run, folder: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    given = folder
    if form.endswith(("jar", "jars")):
        (tmp_path / "libs").mkdir()
        given = tmp_path / "libs" / "acme-clients.jar"
        with zipfile.ZipFile(given, "w") as jar:
            jar.writestr("common/message/AcmeClusterRequest.json", REQUEST)
            jar.writestr("common/message/AcmeClusterResponse.json", RESPONSE)
    if form == "folder of jars":
        given = tmp_path / "libs"
        with zipfile.ZipFile(given / "other.jar", "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "")
    if form == "environment":
        environment["KAFKASNIFF_DEFINITIONS"] = str(given)
    options = [] if form == "environment" else ["--definitions", str(given)]
    assert json.loads(run("apis", str(KEY), "--json", *options).stdout)["versions"] == [0, 2]


def test_apis_lists_what_is_given_and_tells_how(run: Run, folder: Path) -> None:
    assert "--definitions DIR|JAR" in run("apis").stdout
    listed = run("apis", "--definitions", str(folder)).stdout
    assert "\n10060  AcmeCluster" in listed
    assert "endpointType" in run("apis", "acme-cluster", "1", "--definitions", str(folder)).stdout


@pytest.mark.parametrize("command", ["show", "live", "pipeline"])
def test_other_commands_take_definitions(command: str, run: Run) -> None:
    assert "--definitions" in run(command, "--help").stdout


QUERY = "SELECT api_name, len(problems) AS problems FROM calls WHERE api_key = 10060"


@pytest.mark.parametrize(
    "question",
    [
        ("stats", "{}", "--by", "api_name", "--json"),
        ("audit", "{}", "--json"),
        ("compare", "{}", "{}", "--json"),
        ("sql", "{}", QUERY, "--format", "json"),
    ],
    ids=lambda question: question[0],
)
def test_questions_take_definitions(question: tuple[str, ...], run: Run, capture: str, folder: Path) -> None:
    asked = [each.format(capture) for each in question]
    unknown = run(*asked).stdout
    known = run(*asked, "--definitions", str(folder)).stdout
    assert ("UNKNOWN(10060)" in unknown, "ACME_CLUSTER" in unknown) == (True, False)
    assert ("UNKNOWN(10060)" in known, "ACME_CLUSTER" in known) == (False, True)


def test_what_is_scrubbed_goes_by_definitions(run: Run, capture: str, folder: Path, tmp_path: Path) -> None:
    given = ("--definitions", str(folder))
    scrubbed = str(tmp_path / "scrubbed.pcapng")
    assert run("scrub", capture, scrubbed, *given).returncode == 0
    before, after = (lines(run("read", "--json", *given, file).stdout)[1:] for file in (capture, scrubbed))
    assert [call["request"] for call in after] == [call["request"] for call in before]

    def hosts(calls: list[dict[str, object]]) -> list[str]:
        return [broker["host"] for call in calls for broker in call["response"]["brokers"]]  # type: ignore[index]

    assert [len(host.encode()) for host in hosts(after)] == [len(host.encode()) for host in hosts(before)]
    long = {host for host in hosts(before) if len(host) > 4}
    assert long
    assert not long & {*hosts(after)}


def test_rules_judge_what_is_given(run: Run, capture: str, folder: Path) -> None:
    assert run("diagnose", "--json", capture).stdout == ""
    found = lines(run("diagnose", "--json", "--definitions", str(folder), capture).stdout)
    assert "throttled" in {finding["rule"] for finding in found}


def test_a_newer_version_of_a_known_api(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "newer"
    folder.mkdir()
    for name, text in (("Request", REQUEST), ("Response", RESPONSE)):
        newer = text.replace("10060", "60").replace("AcmeCluster", "DescribeCluster").replace('"0-2"', '"1-3"')
        newer = newer.replace('"fields": [', '"fields": [ { "name": "Zone", "type": "string", "versions": "3+" },', 1)
        (folder / f"{name}.json").write_text(newer, encoding="utf-8")
    done = run("apis", "describe_cluster", "--definitions", str(folder))
    assert "versions 0-3" in done.stdout
    assert "request +zone, response +zone" in done.stdout


def test_an_older_release_changes_no_name(run: Run, tmp_path: Path) -> None:
    """ListOffsets was called ListOffset before 2.8, and reached to version 5 then."""
    folder = tmp_path / "older"
    folder.mkdir()
    for name, text in (("Request", REQUEST), ("Response", RESPONSE)):
        older = text.replace("10060", "2").replace("AcmeCluster", "ListOffset").replace('"0-2"', '"0-5"')
        (folder / f"{name}.json").write_text(older, encoding="utf-8")
    assert run("apis", "--definitions", str(folder)).stdout == run("apis").stdout
    layout = run("apis", "list_offsets", "5").stdout
    assert run("apis", "list_offsets", "5", "--definitions", str(folder)).stdout == layout


def test_secrets_of_given_apis_are_hidden_by_their_names(run: Run, capture: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "secret")
    (folder / "AcmeClusterResponse.json").write_text(RESPONSE.replace('"Host"', '"HostPassword"'), encoding="utf-8")
    done = run("read", "--json", "--definitions", str(folder), capture)
    hosts = {
        broker["hostPassword"]
        for call in lines(done.stdout)[1:]
        for broker in call["response"]["brokers"]  # type: ignore[index]
    }
    assert hosts <= {"***", ""}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (None, "there is no such folder or jar"),
        ({}, "no message definitions"),
        ({"A.json": "{"}, "A.json: expected a message definition of Kafka's, found none (JSONDecodeError"),
        ({"A.json": "[]"}, "A.json: expected a message definition of Kafka's"),
        ({"A.json": '{"type": "request"}'}, "A.json: expected a message definition of Kafka's"),
        ({"A.json": REQUEST}, "there is no definition of the response of API key 10060"),
        (
            {"A.json": REQUEST.replace('"int8"', '"int7"'), "B.json": RESPONSE},
            "AcmeClusterRequest: endpointType is of the type int7, which is not defined",
        ),
    ],
)
def test_what_cannot_be_read_is_said(files: dict[str, str] | None, said: str, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    if files is not None:
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    done = run("apis", "--definitions", str(folder))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("kafkasniff: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
