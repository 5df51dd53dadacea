"""The tool on small definitions in both of its forms, and on the real facts where they are."""

import importlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kafkasniff.protocol.bodies import decode_defined
from kafkasniff.protocol.definitions import sources
from kafkasniff.protocol.definitions.merging import DefinitionError
from kafkasniff.protocol.fields import Message
from tests.conftest import ROOT, SHARED, needs_shared

TOOL = ROOT / "tools" / "import_definitions.py"

OLD_REQUEST = """// A comment
{
  "apiKey": 7, "type": "request", "listeners": ["broker"], "name": "GreetRequest",
  "validVersions": "0-2", "flexibleVersions": "2+",
  "fields": [
    // Gone in the next release.
    { "name": "Shout", "type": "bool", "versions": "0", "about": "see http://example.org" },
    { "name": "Greeting", "type": "string", "versions": "0+", "default": "hello" },
    { "name": "KRaftId", "type": "int32", "versions": "1+", "default": "0x10" },
    { "name": "Guests", "type": "[]Guest", "versions": "1+" }
  ],
  "commonStructs": [
    { "name": "Guest", "versions": "0+", "fields": [
      { "name": "Name", "type": "string", "versions": "0+", "mapKey": true,
        "nullableVersions": "0+", "default": "null" },
      { "name": "Seat", "type": "int8", "taggedVersions": "2+", "tag": 0, "default": null }
    ]}
  ]
}
// A brace too many, as in DescribeProducersRequest of Kafka 2.8.
}"""

NEW_REQUEST = OLD_REQUEST.replace('"0-2"', '"1-3"').replace(
    '{ "name": "Shout", "type": "bool", "versions": "0", "about": "see http://example.org" },',
    '{ "name": "Table", "type": "int16", "versions": "3+" },',
)

RESPONSE = """{ "apiKey": 7, "type": "response", "name": "GreetResponse",
  "validVersions": "VERSIONS", "flexibleVersions": "2+", "fields": [] }"""

RECORD = """{ "apiKey": 5, "type": "metadata", "name": "GuestRecord", "validVersions": "0", "flexibleVersions": "0+",
  "fields": [ { "name": "Name", "type": "string", "versions": "0+" } ] }"""


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    """Give the modules that the tool consists of."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return sources, importlib.import_module("definition_text")


def write_jar(path: Path, release: str, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr("kafka/kafka-version.properties", f"commitId=0\nversion={release}\n")
    return path


@pytest.fixture
def jars(tmp_path: Path) -> list[Path]:
    old = {
        "common/message/GreetRequest.json": OLD_REQUEST,
        "common/message/GreetResponse.json": RESPONSE.replace("VERSIONS", "0-2"),
    }
    new = {
        "common/message/GreetRequest.json": NEW_REQUEST,
        "common/message/GreetResponse.json": RESPONSE.replace("VERSIONS", "1-3"),
    }
    return [
        write_jar(tmp_path / "kafka-clients-1.0.jar", "1.0", old),
        write_jar(tmp_path / "kafka-clients-2.0.jar", "2.0", new),
        write_jar(tmp_path / "kafka-metadata-2.0.jar", "2.0", {"common/metadata/GuestRecord.json": RECORD}),
    ]


def definitions_of(text: str) -> dict[str, Any]:
    """Run a generated module."""
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    return namespace


def request_of(tools: tuple[ModuleType, ModuleType], sources: list[Path]) -> Message:
    read, text = tools
    message = definitions_of(text.module_texts(read.read_sources(sources))["apis/greet.py"])["REQUEST"]
    assert isinstance(message, Message)
    return message


def test_definition_of_one_jar(tools: tuple[ModuleType, ModuleType], jars: list[Path]) -> None:
    request = request_of(tools, jars[:1])
    assert (request.name, request.versions, request.flexible) == ("GreetRequest", "0-2", "2+")
    shout, greeting, kraft_id, guests = request.fields
    assert (shout.name, shout.type, shout.versions) == ("shout", "bool", "0")
    assert (greeting.default, kraft_id.name, kraft_id.default) == ("hello", "kRaftId", 16)
    name, seat = guests.fields
    assert (name.versions, name.nullable, name.default, name.map_key) == ("1+", "1+", None, True)
    # A default that is null itself, not the text "null", is none.
    assert (seat.versions, seat.tagged, seat.tag, seat.json_default(2)) == ("2+", "2+", 0, 0)


def test_newer_jar_over_an_older_one(tools: tuple[ModuleType, ModuleType], jars: list[Path]) -> None:
    request = request_of(tools, jars)
    assert request.versions == "0-3"
    assert [(field.name, field.versions) for field in request.fields] == [
        ("table", "3+"),
        ("shout", "0"),
        ("greeting", "0+"),
        ("kRaftId", "1+"),
        ("guests", "1+"),
    ]
    data = bytes.fromhex("01" + "0002" + "6869")
    assert decode_defined(request, 0, data).value == {"shout": True, "greeting": "hi"}


def test_tables(tools: tuple[ModuleType, ModuleType], jars: list[Path]) -> None:
    read, text = tools
    texts = text.module_texts(read.read_sources(jars))
    api = definitions_of(texts["api_table.py"])["APIS"][7]
    assert api == (7, "GREET", "greet", 0, 3, 2, 2, ("broker",))
    releases = definitions_of(texts["api_releases.py"])
    assert releases["RELEASES"] == ("1.0", "2.0")
    assert releases["API_RELEASES"] == {7: {"1.0": (0, 2, 2), "2.0": (1, 3, 3)}}
    record = definitions_of(texts["message_table.py"])["MESSAGES"]["GuestRecord"]
    assert record == ("GuestRecord", "guest_record", "__cluster_metadata", 5, 0, 0)
    # Jars tell no error codes: the table stays as it is.
    assert "error_codes/codes.py" not in texts


def test_facts_and_jars_give_the_same(tools: tuple[ModuleType, ModuleType], jars: list[Path], tmp_path: Path) -> None:
    read, text = tools
    from_jar = read.read_sources(jars[:1])
    facts = tmp_path / "facts"
    facts.mkdir()
    api = from_jar.apis[7]
    content = {"apiKey": 7, "apiName": "GREET", **api}
    (facts / "07-greet.json").write_text(json.dumps(content), encoding="utf-8")
    path = "apis/greet.py"
    assert text.module_texts(read.read_sources([facts]))[path] == text.module_texts(from_jar)[path]


def test_sources_that_cannot_be_read(tools: tuple[ModuleType, ModuleType], jars: list[Path], tmp_path: Path) -> None:
    read, _ = tools
    text = tmp_path / "text"
    text.write_text("no jar", encoding="utf-8")
    for source in (text, tmp_path / "missing"):
        with pytest.raises(DefinitionError):
            read.read_sources([source])
    result = subprocess.run([sys.executable, str(TOOL), str(jars[2])], capture_output=True, text=True, check=False)
    assert (result.returncode, "no API definitions" in result.stderr) == (1, True)


def test_a_hole_between_versions_is_refused(tools: tuple[ModuleType, ModuleType], jars: list[Path]) -> None:
    read, _ = tools
    write_jar(jars[1], "2.0", {"common/message/GreetRequest.json": OLD_REQUEST.replace('"0-2"', '"4-5"')})
    with pytest.raises(DefinitionError, match="hole"):
        read.read_sources(jars)


@needs_shared
def test_files_of_the_repository_are_current() -> None:
    command = [sys.executable, str(TOOL), "--check", str(SHARED / "protocol-facts")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@needs_shared
def test_check_names_files_that_are_not_current(jars: list[Path]) -> None:
    command = [sys.executable, str(TOOL), "--check", str(jars[0])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "not current: apis/greet.py" in result.stderr
    assert "not current: apis/fetch.py" in result.stderr


LOADED = """
import importlib, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from definition_text import module_texts
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.definitions.loading import load_definitions
from kafkasniff.protocol.definitions.sources import read_sources

facts, jar = map(Path, sys.argv[2:])
texts = module_texts(read_sources([facts, jar]))
load_definitions([str(jar)])

def run(name):
    namespace = {}
    exec(texts[name], namespace)
    return namespace

assert run("api_table.py")["APIS"] == APIS
for key, api in APIS.items():
    made = run(f"apis/{api.module}.py")
    assert (made["REQUEST"], made["RESPONSE"]) == (api_definition(key, "request"), api_definition(key, "response")), key
print(APIS[7], APIS[10007])
"""


@needs_shared
def test_loading_at_run_time_gives_what_the_tool_makes(tmp_path: Path) -> None:
    """A jar with a newer version of ControlledShutdown, whose fields differ, and with an API of a vendor."""
    request = NEW_REQUEST.replace("GreetRequest", "ControlledShutdownRequest").replace('"1-3"', '"3-5"')
    response = RESPONSE.replace("GreetResponse", "ControlledShutdownResponse").replace("VERSIONS", "3-5")
    files = {"common/message/ControlledShutdownRequest.json": request, "common/message/Response.json": response}
    for name, text in (("Request", OLD_REQUEST), ("Response", RESPONSE.replace("VERSIONS", "0-2"))):
        files[f"common/message/Greet{name}.json"] = text.replace('"apiKey": 7', '"apiKey": 10007')
    jar = write_jar(tmp_path / "kafka-clients-9.0.jar", "9.0", files)
    command = [sys.executable, "-c", LOADED, str(ROOT / "tools"), str(SHARED / "protocol-facts"), str(jar)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "last_version=5" in result.stdout
    assert "Api(key=10007, name='GREET'" in result.stdout
