import copy
import json
from dataclasses import replace

import pytest

from kafkasniff.pipeline.inputs.read_files import Read, ReadFiles
from kafkasniff.typed_json import from_json, to_json

FIRST = Read("in/trace.pcap0", 10, 1 << 70, b"\0\xff", "in/trace", None, 0, "in/trace")
SECOND = Read("in/\udcff.pcap1.gz", 20, 6, b"", "in/trace", 7, 8, "in/\udcff.pcap1.gz")


def of(*read):
    files = ReadFiles()
    for each in read:
        files.add(each)
    return files


def test_files_are_known_by_their_name_without_the_ending_of_a_compression():
    assert list(of(FIRST, SECOND)) == ["in/trace.pcap0", "in/\udcff.pcap1"]


@pytest.mark.parametrize("files", [of(), of(FIRST), of(FIRST, SECOND)])
def test_they_are_read_as_they_were_written(files):
    assert from_json(to_json(files, ReadFiles), ReadFiles) == files


def test_names_of_rings_are_written_once():
    data = to_json(of(*(replace(FIRST, path=f"{number}") for number in range(3))), ReadFiles)

    assert data.count(b"in/trace") == 1


def test_a_copy_changes_apart():
    files = of(FIRST)
    copied = copy.deepcopy(files)
    copied.add(SECOND)

    assert (list(files.values()), list(copied.values())) == ([FIRST], [FIRST, SECOND])


@pytest.mark.parametrize(
    "spoil", [lambda columns: columns[2].append("more"), lambda columns: columns[6].__setitem__(0, 5)]
)
def test_columns_that_do_not_belong_together_are_refused(spoil):
    found = json.loads(to_json(of(FIRST, SECOND), ReadFiles))
    spoil(found[1])

    with pytest.raises(ValueError, match=r"argument 2 is shorter|expected the place of a name"):
        from_json(json.dumps(found).encode(), ReadFiles)
