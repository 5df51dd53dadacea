from kafkasniff.browse.panes.statistics_pane import StatisticsPane
from kafkasniff.protocol.names import camel_case
from kafkasniff.questions.database import Database
from kafkasniff.questions.named import keyed
from kafkasniff.reading import Reading
from tests.browse.screens import STORM, Screen, browse


def test_statistics_are_those_of_stats() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("s")
        table = screen.app.query_one(StatisticsPane)
        await screen.until(lambda: table.row_count == len(asked))
        rows = [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]
        assert [[row[0], *map(int, (row[1], row[2]))] for row in rows] == asked
        await screen.press("down", "enter")
        await screen.shows(f'& api == "{asked[1][0]}": {asked[1][1]} of')
        # What the filter lets through is counted from then on.
        await screen.until(lambda: table.row_count == 1 and str(table.get_row_at(0)[0]) == asked[1][0])
        await screen.press("s")
        await screen.shows("client_id ")

    with Database() as database:
        filler = database.filler(["calls"])
        for items in Reading(str(STORM)).batches():
            filler.take(items)
        filler.flush()
        text = keyed("stats", ["api_name"])
        asked = [[*row] for row in database.ask(f"SELECT * FROM ({text}) ORDER BY calls DESC, api_name").rows]
        asked = [[camel_case(row[0]), *row[1:3]] for row in asked]
    browse(steps, STORM, columns=140)
