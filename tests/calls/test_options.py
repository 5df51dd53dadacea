"""What each option of calls changes."""

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.options import CallOptions
from kafkasniff.capture.files.reader import CaptureReader
from tests.conftest import CAPTURES


def calls(name: str, options: CallOptions) -> list[Call]:
    engine = Engine(options=options)
    items = [item for batch in CaptureReader(str(CAPTURES / name)) for item in engine.feed(batch)] + engine.flush()
    return [item for item in items if isinstance(item, Call)]


def test_packets_are_noted_where_they_are_asked_for() -> None:
    kept = calls("franz-go.pcap", CallOptions(keep_packets=True))
    for call in kept:
        for frame in (call.request, call.response):
            assert frame is None or (frame.packets[0], frame.packets[-1]) == (frame.first, frame.last)
    assert any(call.response is not None and len(call.response.packets) > 1 for call in kept)
    frames = [frame for call in calls("franz-go.pcap", CallOptions()) for frame in (call.request, call.response)]
    assert {frame.packets for frame in frames if frame is not None} == {()}


def test_secrets_are_shown_where_they_are_asked_for() -> None:
    """The recording's client logs in as alice, by PLAIN (RFC 4616)."""
    bodies = []
    for options in (CallOptions(), CallOptions(show_secrets=True)):
        (login, *_) = (call for call in calls("sasl-plain-java.pcap", options) if call.api_key == 36)
        assert login.request_body is not None
        bodies.append(login.request_body.value["authBytes"])
    assert bodies == ["***", "AGFsaWNlAGFsaWNlLXNlY3JldA=="]


def test_what_sessions_cover_is_noted_unless_it_is_not_wanted() -> None:
    noted = [
        sum(call.fetch_session is not None for call in calls("java-4.3.1-basic.pcap", options))
        for options in (CallOptions(), CallOptions(fetch_sessions=False))
    ]
    assert noted[0] > 0
    assert noted[1] == 0


def test_what_is_learned_belongs_to_one_capture() -> None:
    first, second = CallOptions(), CallOptions()
    calls("java-4.3.1-basic.pcap", first)
    assert len(first.kafka_servers) == 1
    assert second.kafka_servers == {}
    assert second.context is not first.context
