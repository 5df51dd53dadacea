import pytest

from kafkasniff.protocol.fields import Field, covers, version_range


@pytest.mark.parametrize(
    ("versions", "first", "last"), [("3", 3, 3), ("0-12", 0, 12), ("4+", 4, 32767), ("none", 0, -1)]
)
def test_version_range(versions: str, first: int, last: int) -> None:
    assert version_range(versions) == (first, last)
    assert covers(versions, first) == (versions != "none")
    assert not covers(versions, last + 1)
    assert not covers(versions, first - 1)


def test_json_default_of_a_struct_has_its_untagged_fields() -> None:
    struct = Field(
        "leader",
        "Leader",
        "0+",
        fields=(
            Field("id", "int32", "0+", default=-1),
            Field("epoch", "int64", "1+"),
            Field("host", "string", "0+"),
            Field("racks", "[]string", "0+"),
            Field("hint", "string", "0+", tagged="0+", tag=0),
        ),
    )
    assert struct.json_default(0) == {"id": -1, "host": "", "racks": []}
    assert struct.json_default(1) == {"id": -1, "epoch": 0, "host": "", "racks": []}


def test_element_type() -> None:
    assert (Field("a", "[]int32", "0+").element_type, Field("a", "[]int32", "0+").is_array) == ("int32", True)
    assert (Field("a", "int32", "0+").element_type, Field("a", "int32", "0+").is_array) == ("int32", False)
