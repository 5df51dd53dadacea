"""The table `clients`, added up block by block of `calls`."""

from operator import itemgetter

from kafkasniff.tables.blocks.block import Block
from kafkasniff.tables.blocks.columns import OF_CONNECTION
from kafkasniff.tables.blocks.row_block import RowBlock
from kafkasniff.tables.declared import CLIENTS

_KEY = [column.name for column in CLIENTS.columns if column.name in OF_CONNECTION]
_key_of = itemgetter(*map(OF_CONNECTION.index, _KEY))


class ClientTally:
    """The clients of calls: how many calls each has, and when the first and the last began."""

    def __init__(self) -> None:
        """Begin without clients."""
        self._found: dict[tuple[str | None, ...], tuple[int, int, int]] = {}

    def __len__(self) -> int:
        """Give the number of clients."""
        return len(self._found)

    def add(self, block: Block) -> None:
        """Count the calls of a block that has ended."""
        for values, calls, first, last in block.tally():
            key = _key_of(values)
            known = self._found.get(key, (0, first, last))
            self._found[key] = known[0] + calls, min(known[1], first), max(known[2], last)

    def take(self) -> RowBlock:
        """Give the clients as rows of `clients`, who had most calls first, and begin anew."""
        block = RowBlock(CLIENTS)
        for key, found in sorted(self._found.items(), key=lambda pair: -pair[1][0]):
            block.add((*key, *found))
        self._found = {}
        return block
