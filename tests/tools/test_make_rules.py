import re
import subprocess
import sys

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from tests.conftest import ROOT


def test_the_page_of_rules_is_current() -> None:
    command = [sys.executable, "tools/make_rules.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_error_has_a_section() -> None:
    sections = re.findall(r"^## (-?\d+) (\S+)$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE)
    assert sections == [(str(error.code), error.name) for error in ERROR_CODES.values()]


def test_every_rule_has_a_section() -> None:
    sections = re.findall(r"^## (\S+)$", (ROOT / "docs" / "rules.md").read_text(), re.MULTILINE)
    assert sections == [rule.id for rule in RULES]
