import json

import pytest

from kafkasniff.render.json.safe import safe_line

HOSTILE = ["\x7f", "\x80", "\x9b31m", "\x9f", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_terminal_obeys_is_escaped_and_the_value_stays(text: str) -> None:
    value = {"clientId": f"a{text}b", text: 1}
    line = safe_line(json.dumps(value, ensure_ascii=False).encode() + b"\n")
    assert text[0] not in line.decode()
    assert json.loads(line) == value


@pytest.mark.parametrize("text", ["plain", "Füße → 日本 🚀", "a\u00a0b"])
def test_other_text_stays_as_it_is(text: str) -> None:
    line = json.dumps(text, ensure_ascii=False).encode()
    assert safe_line(line) == line
