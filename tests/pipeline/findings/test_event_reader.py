import msgpack
import pytest

from kafkasniff.pipeline.findings.event_reader import EventReader


@pytest.mark.parametrize("data", [b"", b"\x80\x04\x95\x00", msgpack.packb(1), msgpack.packb(("call", 1))])
def test_what_is_no_event_is_refused(data):
    reader = EventReader({})

    for read in (lambda: reader.item("v", 0, data), lambda: reader.call_alone(data)):
        with pytest.raises((ValueError, TypeError, IndexError)):
            read()
