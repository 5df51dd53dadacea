"""All cases, by name."""

from tools.hostile.case import Case
from tools.hostile.files import FILES
from tools.hostile.messages import MESSAGES
from tools.hostile.transport import TRANSPORT

CASES: dict[str, Case] = {case.name: case for case in (*MESSAGES, *TRANSPORT, *FILES)}
