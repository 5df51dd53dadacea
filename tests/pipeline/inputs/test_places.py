import os
from pathlib import Path

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import is_folder
from kafkasniff.pipeline.inputs import places
from tests.conftest import CAPTURES
from tests.stores import BUCKET, store

VLAN = CAPTURES / "vlan.pcap"
KEYS = ["a/1.pcap", "a/b/2.pcap", "a/b/c/3.pcap", "a/.hidden/4.pcap", "d/5.pcapng"]


@pytest.fixture(scope="module")
def bucket():
    # What was opened of a store serves as long as the process lives.
    with store(dict.fromkeys(KEYS, VLAN)) as environment, pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield f"s3://{BUCKET}"


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("", ["a/1.pcap", "a/b/2.pcap", "a/b/c/3.pcap", "d/5.pcapng"]),
        ("/", ["a/1.pcap", "a/b/2.pcap", "a/b/c/3.pcap", "d/5.pcapng"]),
        ("/a/b/", ["a/b/2.pcap", "a/b/c/3.pcap"]),
        ("/a/1.pcap", ["a/1.pcap"]),
        ("/*/*.pcap", ["a/1.pcap"]),
        ("/a/**/*.pcap", ["a/1.pcap", "a/b/2.pcap", "a/b/c/3.pcap"]),
        ("/a/[b-c]", ["a/b/2.pcap", "a/b/c/3.pcap"]),
        ("/none/", []),
    ],
)
def test_folders_and_globs_name_what_they_name_on_a_disk(bucket, place, found):
    assert list(places.objects_below(f"{bucket}{place}")) == [f"{bucket}/{key}" for key in found]


def test_a_glob_names_what_pathlib_finds(bucket, tmp_path):
    for key in KEYS:
        path = tmp_path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for pattern in ("a/*/*", "*/*.pcap*", "**/3.pcap", "a/b/[!x]*"):
        files = sorted(str(path.relative_to(tmp_path)) for path in Path(tmp_path).glob(pattern) if path.is_file())
        shown = [name for name in files if "/." not in name]
        below = [each.removeprefix(f"{bucket}/") for each in places.objects_below(f"{bucket}/{pattern}")]
        assert set(shown) <= set(below), pattern


def test_an_object_is_looked_at_and_read_anywhere(bucket):
    status = places.status_of(f"{bucket}/a/1.pcap")
    data = VLAN.read_bytes()
    assert (status.size, status.regular) == (len(data), True)
    assert status.modified_ns > 0
    with places.open_at_random(f"{bucket}/a/1.pcap") as file:
        assert file.read_at(100, 1000) == data[1000:1100]
    assert is_folder(f"{bucket}/a")
    with pytest.raises(OSError, match="No such file"):
        places.status_of(f"{bucket}/a/2.pcap")


def test_a_file_whose_name_is_no_utf8_is_read(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.pcap")
    with open(path, "wb") as file:
        file.write(b"0123456789")
    with places.open_at_random(path) as file:
        assert file.read_at(3, 4) == b"456"


def test_a_store_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with pytest.raises(CaptureError, match=r"s3://nowhere/a\.pcap: cannot be looked at: "):
        places.status_of("s3://nowhere/a.pcap")
