"""A line on standard error that says how far Spark is."""

import sys
import threading
from types import TracebackType

from pyspark.sql import SparkSession

_INTERVAL_S = 0.5


class Progress:
    """Draws the line from beginning to end of a `with` block, where standard error is a terminal."""

    def __init__(self, session: SparkSession) -> None:
        """Ask `session` how far it is."""
        self._tracker = session.sparkContext.statusTracker()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True) if sys.stderr.isatty() else None

    def __enter__(self) -> None:
        """Begin to draw."""
        if self._thread is not None:
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _draw(self) -> None:
        while not self._ended.wait(_INTERVAL_S):
            stages = [self._tracker.getStageInfo(number) for number in self._tracker.getActiveStageIds()]
            text = ", ".join(
                f"stage {stage.stageId}: {stage.numCompletedTasks:,} of {stage.numTasks:,} tasks"
                for stage in stages
                if stage is not None
            )
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()
