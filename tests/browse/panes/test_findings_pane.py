from tests.browse.screens import STORM, Screen, browse
from tests.conftest import CAPTURES


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


def test_without_calls_nothing_is_said_to_be_well() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("d")
        await screen.shows("nothing could be judged: there are no calls")

    browse(steps, CAPTURES / "tls13-aes128-gcm.pcap")


def test_a_healthy_capture_has_no_findings() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("d")
        await screen.until(lambda: any(line.strip("├└ ") == "nothing found" for line in screen.lines))

    browse(steps, CAPTURES / "java-4.3.1-basic.pcap")
