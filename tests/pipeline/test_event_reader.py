import os
import pickle

import pytest

from kafkasniff.pipeline.event_reader import EventReader


class Runs:
    """When it is unpickled, something is run."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_an_event_runs_nothing(tmp_path):
    data = pickle.dumps(("call", 1, None, Runs(str(tmp_path / "made"))))
    reader = EventReader({})

    for read in (lambda: reader.item("v", 0, data), lambda: reader.call_alone(data)):
        with pytest.raises(pickle.UnpicklingError, match=r"posix\.mkdir is no part of an event"):
            read()
    assert [*tmp_path.iterdir()] == []
