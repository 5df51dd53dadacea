"""Whether calls mention topics by ids: else no names need be learnt before rows are made."""

from collections.abc import Iterable

import numpy as np

from kafkasniff.calls.call import Call
from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.calls.items import Item
from kafkasniff.calls.learning import names_topic_ids
from kafkasniff.protocol.api_table import APIS
from kafkasniff.tcp.columns import SegmentColumns

_HEADER = 8
"""Bytes of a request's size prefix, API key and version."""

_PORTS = 4
"""Bytes of both ports."""

_LAYOUTS = np.array(
    [
        key << 16 | version
        for key, api in APIS.items()
        for version in range(api.first_version, api.last_version + 1)
        if names_topic_ids(key, version)
    ]
)


def mentions_ids(data: bytes, columns: SegmentColumns) -> bool:
    """Tell whether a segment begins as a request would whose body, or whose answer's, has topic ids.

    That is a guess. Requests are looked for from the higher port to the lower: where an answer has its correlation id
    stand API key and version.
    """
    rows = np.flatnonzero(columns.common & (columns.length >= _HEADER))
    if not len(rows):
        return False
    ports_at = columns.key_at[rows] + columns.key_length[rows] - _PORTS
    ports = np.ndarray((len(data) - 1,), ">u2", data, 0, (1,))
    starts = columns.payload[rows[ports[ports_at] >= ports[ports_at + 2]]]
    layouts = np.ndarray((len(data) - _HEADER + 1,), ">u4", data, 4, (1,))[starts]
    return bool(np.isin(layouts, _LAYOUTS).any())


def items_mention_ids(items: Iterable[Item | CallRows]) -> bool:
    """Tell whether there is a call among what ended whose bodies may have topic ids."""
    for item in items:
        if isinstance(item, tuple):
            columns, part = item.columns, slice(item.start, item.stop)
            if np.isin(columns.api_key[part] << 16 | columns.api_version[part], _LAYOUTS).any():
                return True
        elif isinstance(item, Call):
            header = item.header
            if header is not None and names_topic_ids(header.api_key, header.api_version):
                return True
    return False
