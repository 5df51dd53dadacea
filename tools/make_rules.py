"""Write docs/rules.md, docs/options.md and docs/errors.md from the rules: `python tools/make_rules.py [--check]`."""

import argparse
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kafkasniff.diagnose.catalogue import RULES  # noqa: E402
from kafkasniff.diagnose.causes import effects_of, why  # noqa: E402
from kafkasniff.diagnose.options.libraries import LIBRARIES  # noqa: E402
from kafkasniff.diagnose.options.library import Option, filled  # noqa: E402
from kafkasniff.diagnose.rule import Rule  # noqa: E402
from kafkasniff.protocol.error_codes.codes import ERROR_CODES  # noqa: E402
from kafkasniff.protocol.error_codes.fixes import ERROR_FIXES  # noqa: E402
from kafkasniff.protocol.error_codes.notes import note_text  # noqa: E402
from kafkasniff.protocol.fields import ErrorCode  # noqa: E402
from kafkasniff.render.diagnosis.findings import rule_advice, rule_options, rule_parts, silencing  # noqa: E402
from kafkasniff.render.reference.errors import error_normal  # noqa: E402

PAGE = ROOT / "docs" / "rules.md"
OPTIONS_PAGE = ROOT / "docs" / "options.md"
ERRORS_PAGE = ROOT / "docs" / "errors.md"

ERRORS_OPENING = """# Kafka's error codes

Written by `tools/make_rules.py`; the tests compare. `kafkasniff explain CODE` (or its name) says the same.
Where a rule of `diagnose` is about a code, it is named; of all others [unexplained-error](rules.md#unexplained-error)
tells, beyond what is normal in a client's life.
"""

OPTIONS_OPENING = """# Options of client libraries

Written by `tools/make_rules.py` from `kafkasniff/diagnose/options/`; the tests compare. Headings are Java's names, or
words for what is no option there. A source is a file of the library's repository, a KIP, or a class; where wrappers of
librdkafka have nothing of their own, librdkafka's page holds.
"""

OPENING = """# The rules of `kafkasniff diagnose`

Written by `tools/make_rules.py` from the rules; the tests compare. `kafkasniff explain RULE` says the same.

Each finding names its subject, when it was first and last seen, how often, the cause, what to change, and packets that
show it. A finding that another explains stands under that one, as a consequence. `info` is for settings that may be
meant so.

Rules take no field of a body that has a problem, as it may not be what it reads as. Up to 16 bytes behind a request do
not count: real clients leave them there, and brokers read what stands before.

Thresholds are changed with `--set RULE.THRESHOLD=VALUE`, or in a file `kafkasniff.toml` in the working folder, which
also silences rules:

```toml
[diagnose]
ignore = ["acks-one"]

[diagnose.commit-storm]
per_second = 50
```

What that file changes is said on standard error. It must be a regular file of at most 64 KiB.
"""


def section(rule: type[Rule[Any]]) -> str:
    lines = [f"## {rule.id}", f"**{rule.title}** ({rule.severity}; a finding is about one {rule.scope})"]
    lines += [f"*{name.capitalize()}:* {text}" for name, text in rule_parts(rule)]
    for name, advice in rule_advice(rule).items():
        lines.append(f"*With {name}:* {advice.cause} {advice.fix}")
    if options := rule_options(rule):
        lines.append("*In your library:* " + ", ".join(f"[{each}](options.md#{anchor(each)})" for each in options))
    rows = [f"| `{item.name}` | {item.default:g} {item.unit} | {item.source} |" for item in rule.thresholds]
    lines.append("\n".join(["| threshold | default | why |", "| --- | --- | --- |", *rows]))
    if effects := effects_of(rule.id):
        lines.append("*It explains:* " + "; ".join(f"[{name}](#{name}), as {why(rule.id, name)}" for name in effects))
    lines.append(
        f"*Silence it:* `{silencing(rule)}`".replace(", or make it less strict: ", "`, or make it less strict: `")
    )
    return "\n\n".join(lines) + "\n"


def anchor(heading: str) -> str:
    """Give the anchor that GitHub gives a heading."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")


def option_section(option: str) -> str:
    rows = []
    for library in LIBRARIES:
        each = library.options[option]
        default = each.default if isinstance(each, Option) else ""
        name = f"`{each.name}`" if isinstance(each, Option) else f"none: {each.name}"
        rows.append(f"| {library.id} | {name} | {default} | {each.source} |")
    table = ["| library | option | default | source |", "| --- | --- | --- | --- |", *rows]
    return "\n".join([f"## {option}", "", *table, ""])


def options_page() -> str:
    sources = [f"| {each.id} | {each.version} | {each.source} |" for each in LIBRARIES]
    table = ["| library | version | source |", "| --- | --- | --- |", *sources, ""]
    return "\n".join([OPTIONS_OPENING, *table, *map(option_section, LIBRARIES[0].options)])


def error_section(error: ErrorCode) -> str:
    lines = [
        f"## {error.code} {error.name}",
        note_text(error),
        f"*What to do:* {filled(ERROR_FIXES[error.code], None)}",
    ]
    lines += [f"*Normal:* {text}." for text in error_normal(error)]
    if rules := [rule.id for rule in RULES if error.code in getattr(rule, "codes", ())]:
        lines.append("*Rules:* " + ", ".join(f"[{rule}](rules.md#{rule})" for rule in rules))
    return "\n\n".join(lines) + "\n"


def errors_page() -> str:
    return "\n".join([ERRORS_OPENING, *map(error_section, ERROR_CODES.values())])


def page() -> str:
    table = ["| rule | severity | says |", "| --- | --- | --- |"]
    table += [f"| [{rule.id}](#{rule.id}) | {rule.severity} | {rule.title} |" for rule in RULES]
    return "\n".join([OPENING, *table, "", "\n".join(section(rule) for rule in RULES)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the page is not current, write nothing")
    pages = {PAGE: page(), OPTIONS_PAGE: options_page(), ERRORS_PAGE: errors_page()}
    if parser.parse_args().check:
        stale = [path for path, wanted in pages.items() if not path.is_file() or path.read_text() != wanted]
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not current: run python tools/make_rules.py", file=sys.stderr)
        return bool(stale)
    for path, wanted in pages.items():
        path.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
