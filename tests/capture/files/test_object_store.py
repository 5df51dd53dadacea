"""Captures in a store that speaks S3, read by the command as their files are."""

import os
import socket
import subprocess
import sys

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import is_object, placed
from tests.conftest import CAPTURES
from tests.stores import BUCKET, store

JAVA = CAPTURES / "java-4.3.1-basic.pcap"
VLAN = CAPTURES / "vlan.pcap"


def run(environment, *arguments):
    command = [sys.executable, "-m", "kafkasniff", *map(str, arguments)]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def test_reads_objects_as_files():
    uris = [f"s3://{BUCKET}/day/one.pcap", f"s3a://{BUCKET}/day/two.pcap"]
    with store({"day/one.pcap": JAVA, "day/two.pcap": VLAN}) as environment:
        found = run(environment, "read", "--json", *uris)
        findings = run(environment, "diagnose", uris[0])
    expected = run({}, "read", "--json", JAVA, VLAN)
    named = found.stdout.replace(uris[0], str(JAVA)).replace(uris[1], str(VLAN))
    assert (found.returncode, named) == (0, expected.stdout)
    assert findings.stdout == run({}, "diagnose", JAVA).stdout


def test_a_store_that_fails_now_and_then_gives_all_bytes():
    with store({"one.pcap": JAVA}, fails_every=3) as environment:
        found = [run(environment, "read", f"s3://{BUCKET}/one.pcap") for _ in range(3)]
    expected = run({}, "read", JAVA)
    assert [each.stdout for each in found] == [expected.stdout] * 3


def test_what_cannot_be_opened_is_said():
    with store({"day/one.pcap": VLAN}) as environment:
        missing = run(environment, "read", f"s3://{BUCKET}/none.pcap")
        folder = run(environment, "read", f"s3://{BUCKET}/day/")
    assert (missing.returncode, folder.returncode) == (1, 1)
    assert f"s3://{BUCKET}/day/: cannot be opened: Is a folder; name the captures in it" in folder.stderr
    assert f"s3://{BUCKET}/none.pcap: cannot be opened: No such file or directory" in missing.stderr


def test_a_name_node_that_is_not_there_is_said():
    """Its client would go on trying."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        found = run({}, "read", f"hdfs://127.0.0.1:{port}/one.pcap")
    assert (found.returncode, found.stderr) == (
        1,
        f"kafkasniff: hdfs://127.0.0.1:{port}/: cannot be opened: Connection refused\n",
    )


def test_a_name_node_that_does_not_answer_is_said():
    """Its kernel takes connections, as that of a process that stands still does."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        found = run({}, "read", f"hdfs://127.0.0.1:{port}/one.pcap")
    assert (found.returncode, found.stderr) == (
        1,
        f"kafkasniff: hdfs://127.0.0.1:{port}/: cannot be opened: takes connections, but did not answer within 10 s\n",
    )


@pytest.mark.parametrize("uri", ["s3://key:secret@bucket/one.pcap", "s3://secret@bucket/x", "abfss://a:secret@b.c/d"])
def test_credentials_in_a_uri_are_refused_and_not_shown(uri):
    with pytest.raises(CaptureError, match="expected a URI without credentials") as raised:
        placed(uri)
    assert "secret" not in str(raised.value)


def test_only_uris_of_stores_are_objects():
    assert is_object("gs://bucket/a.pcap")
    assert not any(map(is_object, ("s3/a.pcap", "http://host/a.pcap", "./s3://bucket/a.pcap", "-")))
