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
