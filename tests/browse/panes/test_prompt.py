from tests.browse.screens import STORM, Screen, browse


def test_filter_narrows_the_list_and_says_what_is_wrong() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("ampersand")
        await screen.press("a", "p", "i", *["space", "equals_sign", "equals_sign", "space"], "j", "o", "i", "n", "g")
        await screen.press("tab", "enter")
        await screen.shows("& api == joingroup")
        await screen.until(lambda: screen.session.looked == 352)
        assert all("JoinGroup" in line for line in screen.lines[1:-1] if line)
        count = screen.session.count()
        assert f"{count} of 352 calls" in screen.lines[-1]
        await screen.press("ampersand", "ctrl+a", "ctrl+k")
        await screen.type("apo")
        await screen.press("enter")
        await screen.shows("no field is called 'apo'")
        assert screen.session.count() == count
        await screen.press("backspace", "backspace")
        await screen.until(lambda: screen.session.count() == 352)

    browse(steps, STORM)


def test_search_marks_and_keys_of_less() -> None:
    async def steps(screen: Screen) -> None:
        rows = screen.app.query_one("#calls")
        # The last call is known when all was read.
        await screen.until(lambda: "352 calls" in screen.lines[-1])
        await screen.press("G")
        assert rows.number == 352  # type: ignore[attr-defined]
        await screen.press("g", "space")
        assert rows.number == 28  # type: ignore[attr-defined]
        await screen.press("b")
        await screen.press("slash")
        await screen.type("rebalance_in")
        await screen.press("enter")
        await screen.until(lambda: rows.number == 18)  # type: ignore[attr-defined]
        # A mark goes on to call 19; the next call with this error comes when it was found.
        await screen.press("m")
        assert "1 marked" in screen.lines[-1]
        await screen.press("n")
        await screen.until(lambda: rows.number == 51)  # type: ignore[attr-defined]
        await screen.press("N")
        await screen.until(lambda: rows.number == 18)  # type: ignore[attr-defined]
        await screen.press("colon")
        await screen.type("300")
        await screen.press("enter")
        assert rows.number == 300  # type: ignore[attr-defined]
        await screen.press("apostrophe")
        assert rows.number == 18  # type: ignore[attr-defined]
        await screen.press("question_mark")
        await screen.shows("go to the call with a number")
        await screen.press("escape", "q")

    browse(steps, STORM)


def test_what_is_not_found_and_not_let_through_is_said() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("ampersand")
        await screen.type("api == fetch")
        await screen.press("enter")
        # As `tshark -z` counts them.
        await screen.until(lambda: "98 of 352 calls" in screen.lines[-1])
        await screen.press("slash")
        await screen.type("JoinGroup")
        await screen.press("enter")
        await screen.shows("no line holds JoinGroup")
        await screen.press("slash")
        await screen.type("(")
        await screen.press("enter")
        await screen.shows("'(' is no regular expression: missing )")
        await screen.press("G", "colon")
        await screen.type("300")
        await screen.press("enter")
        await screen.shows("the filter does not let call 300 through")
        await screen.press("k")
        await screen.until(lambda: "98 of 352 calls" in screen.lines[-1])

    browse(steps, STORM)


def test_the_prompt_stands_whole_above_the_last_line() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("ampersand")
        await screen.until(lambda: screen.lines[-2].startswith("╰"))
        assert screen.lines[-4].startswith("╭─ calls for which this holds")
        assert screen.lines[-1].endswith("? keys")

    browse(steps, STORM)
