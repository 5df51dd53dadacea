import pytest

from kafkasniff.filters.fields import FIELDS
from kafkasniff.filters.filter import Filter
from tests.conftest import ROOT
from tests.render.made_calls import heartbeat_call, metadata_call


def test_the_page_has_every_field() -> None:
    page = (ROOT / "docs" / "filters.md").read_text()
    for field in FIELDS.values():
        assert f"| `{field.name}` | {field.text()} |\n" in page


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_can_be_asked_of_any_call(name: str) -> None:
    for call in (metadata_call(), heartbeat_call(outcome="unanswered")):
        assert Filter(name).wants(call) is not Filter(f"not {name}").wants(call)
