"""What a run may still make of records and metrics, which few bytes of the wire can make large."""

from collections import OrderedDict
from typing import Final

from kafkasniff.protocol.allowance import Allowance
from kafkasniff.protocol.limits import RECORDS_LIMIT
from kafkasniff.tcp.events import Connection

RECORDS_RATIO: Final = 256
"""Records of 10 bytes, compressed to an eighth, take so much as objects."""

CONTENT_WEIGHT: Final = 4
"""As what each decompressed byte counts: 64 are shown for a captured one, and texts seldom compress to a twentieth."""

METRICS_RATIO: Final = 256
"""The metrics of Kafka's Java client have a value in 6 bytes and compress to a tenth."""

METRICS_OF_CONNECTION: Final = 2 << 20
METRICS_IN_ALL: Final = 16 << 20

RECORDS_REACHED: Final = (
    f"the records from here on are not shown: those of the run take more than half of the bound `decompressed` and"
    f" {RECORDS_RATIO} times their bytes as captured"
)

_MOST_CONNECTIONS = 1024
"""Connections whose metrics are counted; of one that was forgotten they count anew, and in all."""


class Spending:
    """The allowances of one run."""

    __slots__ = ("_metrics", "_metrics_of", "records")

    def __init__(self, records: int = RECORDS_LIMIT) -> None:
        """Allow half of what the records of one message may take, `records`, beside what their captured bytes allow."""
        self.records = Allowance(records // 2, RECORDS_RATIO)
        self._metrics = Allowance(METRICS_IN_ALL, METRICS_RATIO)
        self._metrics_of: OrderedDict[Connection, Allowance] = OrderedDict()

    def metrics(self, connection: Connection) -> tuple[Allowance, Allowance]:
        """Give the allowances for the metrics of a connection: its own, and that of all."""
        own = self._metrics_of.get(connection)
        if own is None:
            own = self._metrics_of[connection] = Allowance(METRICS_OF_CONNECTION, METRICS_RATIO)
            if len(self._metrics_of) > _MOST_CONNECTIONS:
                self._metrics_of.popitem(last=False)
        return own, self._metrics
