# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Members of a call's line that say what its bodies name: errors, topics of ids, what a Fetch session covers."""

from collections.abc import Mapping

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.enrichment.fetch_sessions import Covered, SessionStep
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.render.json.safe import safe_line

ErrorAt = tuple[str, int]
"""Path and code of an error."""

_REQUEST_ERROR = b',{"where":"request","path":'
_RESPONSE_ERROR = b',{"where":"response","path":'
"""How an error begins, by its side."""


def write_errors(out: TextBuffer, errors: list[ErrorAt], response_errors: list[ErrorAt]) -> cython.int:
    """Write the error codes that are not zero."""
    out.add(b',"errors":[')
    for begin, found in ((_REQUEST_ERROR, errors), (_RESPONSE_ERROR, response_errors)):
        for path, code in found:
            raw: bytes = path.encode()
            out.key(begin)
            out.json_string(raw, 0, len(raw))
            out.member(b',"code":', code)
            out.add(f',"name":"{error_name(code)}"}}'.encode())
    return out.byte(0x5D)


def write_topics(out: TextBuffer, names: Mapping[str, str]) -> cython.int:
    """Write the names of topic ids."""
    out.add(b',"topics":{')
    for topic_id, name in names.items():
        raw: bytes = name.encode()
        out.key(f',"{topic_id}":'.encode())
        out.json_string(raw, 0, len(raw))
    return out.byte(0x7D)


def session_text(out: TextBuffer, step: SessionStep, covered: Covered) -> bytes:
    """Give what `as_decoded` gives of a Fetch session, as it stands in a line."""
    start: cython.Py_ssize_t = out.size
    key: bytes = f',{{"{step.topic_field}":'.encode()
    out.add(b',"decoded":[{"where":"request","path":"sessionId","type":"FetchSession","version":null,"value":')
    out.add(b'{"topics":[')
    for name, partitions in covered.partitions.items():
        raw: bytes = name.encode()
        out.key(key)
        out.json_string(raw, 0, len(raw))
        out.add(b',"partitions":[%s]}' % b",".join([b"%d" % partition for partition in sorted(partitions)]))
    out.add(b"]}}]")
    text = safe_line(out.taken(start))
    out.cut(start)
    return text
