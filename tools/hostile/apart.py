"""Work in a process of its own: a command counts as its own what its parent held until it began."""

import json
import os
import traceback
from collections.abc import Callable
from typing import Any


def apart(work: Callable[[], Any]) -> Any:
    """Do `work` in a copy of this process; give what it gave, as JSON has it. Raises RuntimeError when it fails."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        status = 1
        try:
            with os.fdopen(writing, "w") as stream:
                json.dump(work(), stream)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as stream:
        answer = stream.read()
    if os.waitpid(process, 0)[1]:
        raise RuntimeError("failed in a process of its own, as said above")
    return json.loads(answer)
