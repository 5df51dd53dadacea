import pytest

from tests.browse.screens import STORM, Screen, browse


@pytest.mark.parametrize("columns", [60, 80, 100, 160, 240])
def test_widths_and_resizing(columns: int) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("enter", "d", "enter")
        await screen.resize(columns, 24)
        await screen.press("escape", "j", "enter")
        from rich.cells import cell_len

        assert len(screen.lines) == 24
        assert all(cell_len(line) <= columns for line in screen.lines)
        assert any("ApiVersions" in line for line in screen.lines)
        assert any("request v" in line for line in screen.lines)
        assert any("000000  00 " in line for line in screen.lines)

    browse(steps, STORM, columns=120)
