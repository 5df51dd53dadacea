from kafkasniff.browse.panes.bytes_view import BytesView
from tests.browse.screens import STORM, Screen, browse


def test_list_detail_and_the_bytes_of_a_field() -> None:
    async def steps(screen: Screen) -> None:
        assert screen.lines[1].split()[:1] == ["1"]
        assert screen.lines[-1].startswith("352 calls")
        await screen.press("j", "j", "enter")
        await screen.shows("coordinatorKeys: [shipments-app-11]")
        # Bytes 0 and 1 are the API key: FindCoordinator is 10.
        assert any("000000  00 0a 00 06" in line for line in screen.lines)
        request = screen.session.kept.call(3).request
        assert request is not None
        place = request.data.index(b"\x11shipments-app-11")
        view = screen.app.query_one(BytesView)
        await screen.press("tab", "down", "down")
        await screen.until(lambda: view.marked == (place - 2, place - 1))
        await screen.press("down")
        # With the count of keys before, and the length of this one.
        await screen.until(lambda: view.marked == (place - 1, place + 17))
        await screen.press("escape")
        await screen.until(lambda: not any("coordinatorKeys" in line for line in screen.lines))

    browse(steps, STORM)
