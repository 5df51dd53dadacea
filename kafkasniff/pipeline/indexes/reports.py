"""What the reading tasks report of ranges, checked and put together for each file."""

from collections.abc import Sequence
from dataclasses import replace

from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.indexes.ranges import Range
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.tables.rows import Row, file_row


def doubtful_files(ranges: Sequence[Range], reports: Sequence[FileReport]) -> frozenset[int]:
    """Give the files whose ranges do not make them up without a doubt, to be read again by one task each.

    Such are a record that was guessed wrongly, damage (after which nothing may be guessed), a clock that steps back
    from one range to the next, and IP fragments whose others may lie in the next.
    """
    doubtful: set[int] = set()
    before: FileReport | None = None
    for each, report in zip(ranges, reports, strict=True):
        if each.whole:
            continue
        if report.reason is not None or report.start is None or report.unjoined_fragments:
            doubtful.add(each.file)
        if each.start and before is not None:
            steps_back = (report.opening_time or 0) < (before.last_time or 0)
            if report.start != before.end or (report.packets and steps_back):
                doubtful.add(each.file)
        before = report
    return frozenset(doubtful)


def whole_reports(ranges: Sequence[Range], reports: Sequence[FileReport]) -> list[FileReport]:
    """Give one report for each file, of reports for each range; its `part` is the file's index."""
    files: dict[int, FileReport] = {}
    for each, report in zip(ranges, reports, strict=True):
        earlier = files.get(each.file)
        files[each.file] = report if earlier is None else joined(earlier, report)
    return list(files.values())


def joined(first: FileReport, second: FileReport) -> FileReport:
    """Give one report of what was read first and then of a file."""
    times = [time for each in (first, second) for time in (each.first_time, each.last_time) if time is not None]
    return replace(
        first,
        packets=first.packets + second.packets,
        cut_packets=first.cut_packets + second.cut_packets,
        first_time=min(times, default=None),
        last_time=max(times, default=None),
        end=second.end,
    )


def row_of_file(vantage: str, source: Input, report: FileReport) -> Row:
    """Give the row of a file."""
    times = report.first_time, report.last_time
    counts = report.packets, report.cut_packets, report.unjoined_fragments
    return file_row(vantage, source.path, source.size, times, counts, report.reason, source.modified_ns, source.head)
