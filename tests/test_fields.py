"""Classes that hold fields compare and show them."""

import copy
import pickle
import typing

import pytest

from kafkasniff.fields import Fields, NamedTuple
from kafkasniff.protocol.bodies.decoding import DecodedBody


def test_equal_fields_make_equal_bodies() -> None:
    body = DecodedBody(1, {"throttleTimeMs": 0})
    assert body == DecodedBody(1, {"throttleTimeMs": 0})
    assert body != DecodedBody(1, {"throttleTimeMs": 1})
    assert body != DecodedBody(2, {"throttleTimeMs": 0})
    assert body != 1


def test_what_may_change_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(DecodedBody(1, None))


def test_all_fields_are_shown() -> None:
    shown = repr(DecodedBody(1, {"throttleTimeMs": 0}, end=7))
    assert shown.startswith("DecodedBody(")
    assert "version=1" in shown
    assert "value={'throttleTimeMs': 0}" in shown
    assert "end=7" in shown


def test_all_classes_name_their_fields() -> None:
    """Without `__slots__` of its own, a class would compare nothing."""
    import kafkasniff.reading  # noqa: F401

    assert [each.__name__ for each in Fields.__subclasses__() if not each.__slots__] == []


class Place(NamedTuple):
    file: str
    packet: int = 1
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        return f"{self.file}:{self.packet}"


class PlaceOfPython(typing.NamedTuple):
    file: str
    packet: int = 1
    notes: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("values", "named"),
    [(("a", 2, ("b",)), {}), (("a",), {}), ((), {"file": "a"}), (("a",), {"notes": ("b",)}), (("a", 3), {})],
)
def test_a_named_tuple_is_as_pythons_own(values: tuple[typing.Any, ...], named: dict[str, typing.Any]) -> None:
    place, other = Place(*values, **named), PlaceOfPython(*values, **named)
    assert tuple(place) == tuple(other)
    assert place == other
    assert hash(place) == hash(other)
    assert (place.file, place.packet, place.notes) == (other.file, other.packet, other.notes)
    assert repr(place) == repr(other).replace("PlaceOfPython", "Place")
    assert place._asdict() == other._asdict()
    assert place._replace(packet=9) == other._replace(packet=9)
    assert (Place._fields, Place._field_defaults) == (PlaceOfPython._fields, PlaceOfPython._field_defaults)
    assert typing.get_type_hints(Place) == typing.get_type_hints(PlaceOfPython)
    assert [type(each) for each in (copy.copy(place), pickle.loads(pickle.dumps(place)))] == [Place, Place]
    assert pickle.loads(pickle.dumps(place)) == copy.deepcopy(place) == place == Place._make(other)
    match place:
        case Place(file, packet):
            assert f"{file}:{packet}" == place.text()


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a", 1, (), 2), {}), (("a",), {"file": "b"}), (("a",), {"line": 1})]
)
def test_a_named_tuple_takes_its_fields_only(values: tuple[typing.Any, ...], named: dict[str, typing.Any]) -> None:
    for kind in (Place, PlaceOfPython):
        with pytest.raises(TypeError):
            kind(*values, **named)


def test_the_fields_of_a_named_tuple_do_not_change() -> None:
    for kind in (Place, PlaceOfPython):
        place: typing.Any = kind("a")
        with pytest.raises(AttributeError):
            place.file = "b"
        with pytest.raises(AttributeError):
            place.line = 1
