"""Write the tables of docs/pipeline.md from their declaration: `python tools/make_tables.py [--check]`."""

import argparse
import sys
from pathlib import Path

from kafkasniff.tables.declared import PARTITIONS, TABLES, Column

PAGE = Path(__file__).resolve().parent.parent / "docs" / "pipeline.md"
BEGIN = "<!-- Written by tools/make_tables.py from kafkasniff/tables/declared.py; the tests compare. -->\n"
END = "<!-- End of what it wrote. -->\n"


SPARK_NAMES = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "date32": "date",
    "timestamp[us, tz=UTC]": "timestamp",
    "list<string>": "array<string>",
    "list<struct<key: string, value: binary>>": "array<struct<key: string, value: binary>>",
}
"""Spark's names of types, where they are not Arrow's."""


def columns_text(columns: tuple[Column, ...]) -> str:
    """Give columns as a Markdown table."""
    rows = (
        f"| `{column.name}` | {SPARK_NAMES.get(column.type, column.type)} | {column.meaning} |" for column in columns
    )
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
