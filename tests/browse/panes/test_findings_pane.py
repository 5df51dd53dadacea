from tests.browse.screens import STORM, Screen, browse


def test_findings_lead_to_the_calls_that_show_them() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("d")
        await screen.shows("rebalance-storm")
        await screen.press("down", "up", "enter")
        await screen.shows("fix: ")
        finding = screen.session.findings[0]
        number = finding.evidence[0].call
        assert number
        for _ in range(60):
            if screen.app.query_one("#calls").number == number:  # type: ignore[attr-defined]
                break
            await screen.press("down", "enter")
        else:
            raise AssertionError("\n".join(screen.lines))

    browse(steps, STORM, lines=60)


def test_findings_fit_the_screen_also_after_it_changed() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("d")
        await screen.shows("rebalance-storm")
        await screen.press("enter")
        for columns in (120, 60):
            await screen.resize(columns, 60)
            await screen.until(lambda: any("default" in line for line in screen.lines))
            [title] = [line for line in screen.lines if "ERROR" in line]
            assert title.endswith("…")
            said = " ".join(line.lstrip("├ ") for line in screen.lines)
            assert "Members say “the consumer is being closed” and “rebalance failed due to" in said

    browse(steps, STORM, lines=60)
