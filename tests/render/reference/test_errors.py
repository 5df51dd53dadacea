import json

from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.error_codes.fixes import ERROR_FIXES
from kafkasniff.protocol.error_codes.notes import ERROR_NOTES
from kafkasniff.render.reference.errors import error_list_text, error_object, error_text
from tests.conftest import SHARED, needs_shared


def test_every_code_has_one_short_sentence() -> None:
    assert set(ERROR_NOTES) == set(ERROR_CODES)
    assert len(ERROR_NOTES) == 138
    for note in ERROR_NOTES.values():
        assert note.endswith(".")
        assert note[0].isupper() or note.startswith(("max.", "min.", "session.", "transaction."))
        assert len(note) <= 120
    assert len(set(ERROR_NOTES.values())) == 138


def test_every_code_has_a_fix() -> None:
    assert set(ERROR_FIXES) == set(ERROR_CODES)
    for fix in ERROR_FIXES.values():
        assert fix.endswith(".")
        assert fix[0].isupper()
    assert "transaction.max.timeout.ms" in error_text(ERROR_CODES[50])


@needs_shared
def test_names_and_retriability_are_kafkas() -> None:
    facts = json.loads((SHARED / "protocol-facts" / "errors.json").read_text())
    shown = [error_object(error) for error in ERROR_CODES.values()]
    assert [(item["code"], item["name"], item["retriable"]) for item in shown] == [
        (fact["code"], fact["name"], fact["retriable"]) for fact in facts
    ]


def test_texts() -> None:
    error = ERROR_CODES[6]
    assert error_text(error).startswith("6  NOT_LEADER_OR_FOLLOWER  (retriable)\n")
    lines = error_list_text().splitlines()
    assert len(lines) == 139
    assert lines[1].split() == ["-1", "UNKNOWN_SERVER_ERROR", "no"]
