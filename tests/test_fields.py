"""Classes that hold fields compare and show them."""

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
    """A named tuple as the package makes them."""

    host: str
    port: int = 9092

    def text(self) -> str:
        return f"{self.host}:{self.port}"


class OfTyping(typing.NamedTuple):
    host: str
    port: int = 9092


def test_named_tuples_are_as_those_of_typing() -> None:
    place = Place("a", port=1)
    assert (place, place.host, place.port, place.text(), len(place)) == (("a", 1), "a", 1, "a:1", 2)
    assert Place(host="a") == Place("a") == OfTyping("a")
    assert hash(Place("a")) == hash(OfTyping("a"))
    assert repr(Place("a")) == repr(OfTyping("a")).replace("OfTyping", "Place")
    assert place._replace(port=2) == OfTyping("a", 1)._replace(port=2)
    assert place._asdict() == OfTyping("a", 1)._asdict()
    assert Place._make(["b", 3]) == OfTyping._make(["b", 3])
    assert pickle.loads(pickle.dumps(place)) == place
    assert type(pickle.loads(pickle.dumps(place))) is Place
    assert type(Place) is type(OfTyping)
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__", "__module__"):
        assert getattr(Place, name) == getattr(OfTyping, name), name
    assert typing.get_type_hints(Place) == {"host": str, "port": int}
    match place:
        case Place(host, port):
            assert (host, port) == ("a", 1)


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a", 1, 2), {}), (("a",), {"host": "b"}), (("a",), {"path": "b"})]
)
def test_a_named_tuple_has_its_fields_and_no_others(values: tuple[object, ...], named: dict[str, object]) -> None:
    for made in (Place, OfTyping):
        with pytest.raises(TypeError):
            made(*values, **named)  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError)):
        Place("a")._replace(path="b")  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Place("a").path = "b"  # type: ignore[attr-defined]
