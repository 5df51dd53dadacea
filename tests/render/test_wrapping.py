from kafkasniff.render.wrapping import fold


def test_pages_are_folded_below_their_last_column() -> None:
    page = "code  name of it            what it means in a few words\nshort\n"
    assert fold(page, 40) == ("code  name of it            what it\n      means in a few words\nshort\n")
    assert fold("    indented words that go on", 18) == "    indented words\n    that go on"
    assert fold(page, None) == page
    assert fold("x" * 25, 10) == "x" * 10 + "\n  " + "x" * 8 + "\n  " + "x" * 7
