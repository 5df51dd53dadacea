"""Write the tables of docs/pipeline.md from their declaration: `python tools/make_tables.py [--check]`.

Needs the extra `spark`, as kafkasniff.pipeline does.
"""

import argparse
import sys
from pathlib import Path

import pyarrow as pa

from kafkasniff.pipeline.tables import PARTITIONS, TABLES, Column

PAGE = Path(__file__).resolve().parent.parent / "docs" / "pipeline.md"
BEGIN = "<!-- Written by tools/make_tables.py from kafkasniff/pipeline/tables.py; the tests compare. -->\n"
END = "<!-- End of what it wrote. -->\n"


def type_name(kind: pa.DataType) -> str:
    """Give Spark's name of a type."""
    if pa.types.is_list(kind):
        return f"array<{type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{field.name}: {type_name(field.type)}' for field in kind)}>"
    names = {
        pa.string(): "string",
        pa.binary(): "binary",
        pa.bool_(): "boolean",
        pa.int8(): "tinyint",
        pa.int16(): "smallint",
        pa.int32(): "int",
        pa.int64(): "bigint",
        pa.float64(): "double",
        pa.date32(): "date",
        pa.timestamp("us", tz="UTC"): "timestamp",
    }
    return names[kind]


def columns_text(columns: tuple[Column, ...]) -> str:
    """Give columns as a Markdown table."""
    rows = (f"| `{column.name}` | {type_name(column.type)} | {column.meaning} |" for column in columns)
    return "\n".join(("| column | type | meaning |", "| --- | --- | --- |", *rows)) + "\n"


def tables_text() -> str:
    """Give all tables."""
    parts = [f"### {table.name}\n\n{table.meaning}\n\n{columns_text(table.columns)}" for table in TABLES.values()]
    return "\n".join([f"Every table has these two, from its folders' names:\n\n{columns_text(PARTITIONS)}", *parts])


def with_tables(page: str) -> str:
    """Give a page with the tables as they are declared."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{tables_text()}\n{END}{rest.partition(END)[2]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the page is not current, write nothing")
    page = PAGE.read_text()
    wanted = with_tables(page)
    if parser.parse_args().check:
        if page != wanted:
            print("docs/pipeline.md is not current: run python tools/make_tables.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
