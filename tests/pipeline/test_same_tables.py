"""The pipeline's tables of all healthy recordings, beside those that `tables` fills."""

from collections import Counter
from typing import Any

import pyarrow as pa

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.topics import KnownNames
from kafkasniff.calls.items import Item
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.reading import Reading
from kafkasniff.tables.declared import TABLES
from kafkasniff.tables.filling import TableFiller
from tests.conftest import CAPTURES, SHARED
from tests.pipeline.runs import rows, write

_HEALTHY = SHARED / "captures" / "healthy"
FILES = sorted(each for each in (_HEALTHY if _HEALTHY.is_dir() else CAPTURES).glob("*.pcap*"))
NAMES = ("calls", "errors", "batches", "partitions", "group_events", "logins", "connections")


def counted(found: list[dict[str, Any]]) -> Counter[str]:
    return Counter(map(repr, found))


def names_of(items: list[Item]) -> dict[str, str]:
    calls = [item for item in items if isinstance(item, Call)]
    return calls[-1].context.topics.known() if calls else {}


def test_rows_are_those_of_tables(spark: Any, tmp_path: Any) -> None:
    keys = tmp_path / "all.keys"
    keys.write_bytes(b"\n".join(path.read_bytes() for path in sorted(FILES[0].parent.glob("*.keys"))))
    write(spark, FILES, tmp_path / "tables", Options(key_log=keys.read_bytes()))
    wanted: dict[str, list[dict[str, Any]]] = {name: [] for name in NAMES}

    def take(name: str, block: Any) -> None:
        wanted[name] += pa.table(block).cast(schema_of(TABLES[name])).to_pylist()

    read = [[*Reading([str(path)], connections=True, metrics=False, key_log=str(keys))] for path in FILES]
    # In a run, a capture may tell names of topic ids that another lacks.
    known = {topic_id: name for items in read for topic_id, name in names_of(items).items()}
    names = KnownNames({topic_id: (name, 0) for topic_id, name in known.items()}, 1)
    for items in read:
        for item in items:
            if isinstance(item, Call):
                item.context = item.context.having(topics=names)
        filler = TableFiller(dict.fromkeys(NAMES), take)
        filler.take(items)
        filler.flush()
    for name in NAMES:
        found = [{each: row[each] for each in schema_of(TABLES[name]).names} for row in rows(tmp_path / "tables", name)]
        assert wanted[name] or name == "logins"
        assert counted(found) == counted(wanted[name]), name
