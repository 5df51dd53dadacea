"""The files in deploy/: what Prometheus says of them, and that they speak of metrics and options that there are."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafkasniff.metrics.totals import Totals
from kafkasniff.reading import read
from tests.cli.running import Live
from tests.conftest import CAPTURES, ROOT
from tests.networks import needs, own_network

DEPLOY = ROOT / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
COMMAND_LINES = {
    "kafkasniff.service": re.search(
        r"^ExecStart=\S+ live (.*)$", (DEPLOY / "kafkasniff.service").read_text(), re.M
    ).group(1).split(),
    **{
        name: json.loads(
            re.search(r"^\s+args: (\[.*\])$", (DEPLOY / "kubernetes" / name).read_text(), re.M).group(1)
        )[1:]
        for name in ("daemonset.yaml", "sidecar.yaml")
    },
}  # fmt: skip


def names_in_use() -> set[str]:
    """Names of all metrics, with those that Prometheus makes of histograms."""
    prometheus_client = pytest.importorskip("prometheus_client", reason="the extra `metrics` is not installed")
    from kafkasniff.metrics.exposition import Exposition
    from kafkasniff.metrics.state import State

    totals = Totals()
    totals.take([*read(str(CAPTURES / "java-4.3.1-basic.pcap")).calls()])
    registry = prometheus_client.CollectorRegistry()
    registry.register(Exposition(totals, lambda: State(*[0] * 9)))
    text = prometheus_client.generate_latest(registry).decode()
    return set(re.findall(r"^(kafkasniff_\w+)", text, re.M)) | set(re.findall(r"^# TYPE (\w+)", text, re.M))


def expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*").replace("$broker", ".*")


@needs("promtool")
def test_prometheus_takes_the_alerts_and_they_fire_when_they_should() -> None:
    for arguments in (("check", "rules", "prometheus-alerts.yml"), ("test", "rules", "prometheus-alerts-test.yml")):
        subprocess.run(["promtool", *arguments], cwd=DEPLOY, check=True, capture_output=True)


@needs("promtool")
def test_prometheus_takes_what_the_dashboard_asks(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": text} for number, text in enumerate(expressions())]
    assert len(rules) >= len(DASHBOARD["panels"]) > 10
    path = tmp_path / "rules.yml"
    # JSON is YAML.
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    subprocess.run(["promtool", "check", "rules", str(path)], check=True, capture_output=True)


def merged(base: Any, patch: Any) -> Any:
    """Give what `kubectl patch` makes of an object: of mappings both, of containers all (here no two have one name)."""
    if isinstance(base, dict):
        return base | {key: merged(base.get(key), value) for key, value in patch.items()}
    return base + patch if isinstance(base, list) else patch


@pytest.mark.parametrize("name", ["daemonset.yaml", "sidecar.yaml"])
def test_kubernetes_takes_the_manifests(name: str) -> None:
    validation = pytest.importorskip("kubernetes_validate", reason="the extra `test` is not installed")
    found = yaml.safe_load((DEPLOY / "kubernetes" / name).read_text())
    if name == "sidecar.yaml":
        labels = {"app": "shop"}
        pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "shop", "image": "shop"}]}}
        own = {"selector": {"matchLabels": labels}, "template": pod}
        found = merged(
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop"}, "spec": own}, found
        )
        assert [each["name"] for each in found["spec"]["template"]["spec"]["containers"]] == ["shop", "kafkasniff"]
    # The schemas of Kubernetes' own OpenAPI description; `strict` refuses fields that it does not have.
    validation.validate(found, "1.37", strict=True)
    found["spec"]["template"]["spec"]["containers"][-1]["port"] = []
    with pytest.raises(validation.ValidationError, match="port"):
        validation.validate(found, "1.37", strict=True)


def test_all_metrics_that_are_asked_for_are_there() -> None:
    text = (DEPLOY / "prometheus-alerts.yml").read_text() + "\n".join(expressions())
    asked = set(re.findall(r"\bkafkasniff_\w+", text))
    # Those of a follower are compared with one, in tests/pipeline.
    assert {name for name in asked if not name.startswith("kafkasniff_pipeline_")} - names_in_use() == set()
    documented = "".join((ROOT / "docs" / name).read_text() for name in ("metrics.md", "pipeline.md"))
    for name in asked:
        assert name.removesuffix("_bucket") in documented or re.search(r"kafkasniff_(client|topic|group)_", name), name


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_the_command_lines_are_right(environment: dict[str, str], name: str) -> None:
    arguments = [each for each in COMMAND_LINES[name] if each not in ("--user", "nobody")]
    with own_network():
        live = Live(environment, *arguments, "--user", "root", "--duration", "100ms")
        assert live.end(None) == 0
    assert "metrics at http://" in live.messages
