"""Each cipher suite of the recordings is named as the recorder says."""

import ssl
from collections import Counter
from collections.abc import Callable

import pytest
from dpkt.ssl_ciphersuites import BY_NAME

from tests.conformance.recordings import Recording, printed_lines, recordings
from tests.conftest import needs_shared

TLS = [each for each in recordings(".requestlog.jsonl.gz") if " TLS 1." in each.facts["security"]]


def code_of(name: str) -> int:
    """Give the number of a suite by IANA's name or OpenSSL's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_ciphers("ALL:@SECLEVEL=0")
    numbers = {cipher["name"]: int(cipher["id"]) & 0xFFFF for cipher in context.get_ciphers()}
    return numbers[name] if name in numbers else int(BY_NAME(name).code)


@pytest.mark.parametrize("recording", TLS, ids=str)
def test_names_version_and_suite(recording: Recording, add_figure: Callable[..., None]) -> None:
    # E.g. "SSL / TLS 1.2 ECDHE-RSA-AES128-SHA", or without a suite where the client chose.
    security = recording.facts["security"]
    words = security.partition("TLS ")[2].replace(",", " ").split()
    lines = printed_lines(recording.files, *recording.options, "--connections")
    reports = [line["tls"] for line in lines if line["type"] == "connection"]
    assert {report["version"] for report in reports} == {f"TLS {words[0]}"}
    suites = Counter(report["cipher"] for report in reports)
    if len(words) > 1 and words[1][:3] in ("TLS", "ECD"):
        assert {code_of(name) for name in suites} == {code_of(words[1])}
    resumed = sum(report["resumed"] for report in reports)
    # Of the clients recorded only franz-go resumes sessions.
    assert (resumed > 0) == any(client["name"] == "franz-go" for client in recording.facts["clients"])
    decrypted = sum(report["decrypted"] for report in reports)
    assert decrypted == (0 if recording.name == "tls-no-keys" else len(reports))
    add_figure(
        "TLS", recording.name, connections=len(reports), decrypted=decrypted, resumed=resumed, suites=" ".join(suites)
    )


@needs_shared
def test_sessions_resumed_in_tls_1_2_are_those_that_the_client_did_not_log() -> None:
    [recording] = [each for each in TLS if each.name == "tls12-go-resumption"]
    logged = (recording.folder / f"{recording.name}.keys").read_text().count("CLIENT_RANDOM")
    lines = printed_lines(recording.files, *recording.options, "--connections")
    resumed = [line["tls"]["resumed"] for line in lines if line["type"] == "connection"]
    assert (len(resumed) - sum(resumed), sum(resumed)) == (logged, 3)
