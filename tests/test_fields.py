"""Classes that hold fields compare and show them."""

import pytest

from kafkasniff.fields import Fields
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
