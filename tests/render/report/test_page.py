"""What a report's file holds, before a browser reads it."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from kafkasniff.cli.app import run
from kafkasniff.render.report.page import data_text
from tests.cli.hostile_calls import named_heartbeats


def test_the_file_needs_and_allows_nothing_else(storm: Path) -> None:
    text = storm.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    assert rules["script-src"].split() == hashes
    assert not re.search(r"<(?:link|img|iframe|script src)|@import|url\(", text)


def test_the_licence_of_the_plots_is_in_the_file(storm: Path) -> None:
    assert "Copyright (c) 2022 Leon Sorokin" in storm.read_text()


def test_without_data_the_file_is_small(storm: Path) -> None:
    data = re.search(r'id="data">(.*?)</script>', storm.read_text())
    assert data is not None
    assert storm.stat().st_size - len(data[1]) < 200_000


def test_json_beside_it_has_the_same_data(storm: Path) -> None:
    data = re.search(r'id="data">(.*?)</script>', storm.read_text())
    assert data is not None
    assert json.loads(data[1]) == json.loads(storm.with_suffix(".json").read_text())


def test_text_cannot_end_the_element_of_the_data() -> None:
    text = data_text({"a": "</script><!--<script>&amp;\u2028\u202e"})
    assert not set("<>&\u2028\u202e") & set(text)
    assert json.loads(text) == {"a": "</script><!--<script>&amp;\u2028\u202e"}


def test_a_long_name_stands_in_the_file_few_times(tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    name = "n" * 30_000
    run(["report", str(named_heartbeats(tmp_path / "long.pcap", [name] * 300)), "-o", str(path)])
    # Once in each list it belongs to, and in each of the calls that took longest.
    assert path.read_text().count(name) < 350
