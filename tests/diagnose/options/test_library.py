import re

import pytest

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.options.java import JAVA
from kafkasniff.diagnose.options.libraries import LIBRARIES
from kafkasniff.diagnose.options.library import Instead, filled, places
from kafkasniff.protocol.error_codes.fixes import ERROR_FIXES


@pytest.mark.parametrize("text", [*(text for rule in RULES for text in (rule.cause, rule.fix)), *ERROR_FIXES.values()])
def test_places_stand_in_parentheses_behind_what_the_option_does(text: str) -> None:
    """What a library has instead of an option is no name: the sentence must do without it."""
    assert "{" not in re.sub(r"\((\{[^{}]+\}(; |, )?)+[^(){}]*\)", "", text)
    assert set(places(text)) <= set(JAVA.options)


def test_names_are_put_into_their_places() -> None:
    text = "Wait longer ({linger.ms}); poll less ({max.poll.records})."
    by_id = {library.id: filled(text, library) for library in LIBRARIES}
    assert filled(text, None) == "Wait longer (linger.ms); poll less (max.poll.records)."
    assert by_id["the Java client"] == (
        "Wait longer (linger.ms, default 5, 0 before 4.0); poll less (max.poll.records, default 500)."
    )
    assert by_id["confluent-kafka-dotnet"].startswith("Wait longer (LingerMs, default 5);")
    assert by_id["rskafka"].endswith("poll less (no option: records come one by one).")


def test_what_a_library_lacks_says_what_does_it() -> None:
    lacking = [option for library in LIBRARIES for option in library.options.values() if isinstance(option, Instead)]
    assert all(len(option.name) > 10 for option in lacking)
