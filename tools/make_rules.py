"""Write docs/rules.md from the rules themselves: `python tools/make_rules.py [--check]`."""

import argparse
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kafkasniff.diagnose.catalogue import RULES  # noqa: E402
from kafkasniff.diagnose.rule import Rule  # noqa: E402
from kafkasniff.render.findings import rule_parts, silencing  # noqa: E402

PAGE = ROOT / "docs" / "rules.md"

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
    rows = [f"| `{item.name}` | {item.default:g} {item.unit} | {item.source} |" for item in rule.thresholds]
    lines.append("\n".join(["| threshold | default | why |", "| --- | --- | --- |", *rows]))
    if rule.explains:
        lines.append("*It explains:* " + ", ".join(f"[{name}](#{name})" for name in rule.explains))
    lines.append(
        f"*Silence it:* `{silencing(rule)}`".replace(", or make it less strict: ", "`, or make it less strict: `")
    )
    return "\n\n".join(lines) + "\n"


def page() -> str:
    table = ["| rule | severity | says |", "| --- | --- | --- |"]
    table += [f"| [{rule.id}](#{rule.id}) | {rule.severity} | {rule.title} |" for rule in RULES]
    return "\n".join([OPENING, *table, "", "\n".join(section(rule) for rule in RULES)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the page is not current, write nothing")
    wanted = page()
    if parser.parse_args().check:
        if not PAGE.is_file() or PAGE.read_text() != wanted:
            print(f"{PAGE.relative_to(ROOT)} is not current: run python tools/make_rules.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
