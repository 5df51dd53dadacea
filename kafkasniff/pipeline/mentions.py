"""Whether calls mention topics by ids: else no names need be learnt before rows are made."""

from collections.abc import Iterable

import numpy as np

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.learning import names_topic_ids
from kafkasniff.calls.items import Item
from kafkasniff.pipeline.packet_keys import PacketKeys
from kafkasniff.pipeline.pieces import Numbers
from kafkasniff.protocol.api_table import APIS

_HEADER = 15
"""Bytes of a request's size prefix, API key and version, correlation id, client id's length, and one behind that."""

_LEAST_SIZE = _HEADER - 4
_LARGEST_SIZE = 100 << 20
"""Largest request that a broker takes unless told (socket.request.max.bytes)."""
_LONGEST_CLIENT_ID = 255
"""None that is longer, or empty, is believed: with chance bytes most lengths would be."""

_LAYOUTS = np.array(
    [
        key << 16 | version
        for key, api in APIS.items()
        for version in range(api.first_version, api.last_version + 1)
        if names_topic_ids(key, version)
    ]
)


def mentions_ids(data: bytes, keys: PacketKeys) -> bool:
    """Tell whether a segment begins as a request would whose body, or whose answer's, has topic ids.

    That is a guess. Requests are looked for from the higher port to the lower: where an answer has its correlation id
    stand API key and version, and within a batch of records may stand the lower half of an offset.
    """
    starts = keys.payload[keys.usual & keys.downward & (keys.length >= _HEADER)]
    if not len(starts):
        return False
    found = starts[np.isin(_at(data, starts, 4, ">u4"), _LAYOUTS)]
    sizes, client_ids, first = _at(data, found, 0, ">u4"), _at(data, found, 12, ">i2"), _at(data, found, 14, "u1")
    text = (client_ids >= 1) & (client_ids <= _LONGEST_CLIENT_ID) & (first > ord(" ")) & (first <= ord("~"))
    plausible = (sizes >= _LEAST_SIZE) & (sizes <= _LARGEST_SIZE) & (text | (client_ids == -1))
    return bool(plausible.any())


def _at(data: bytes, starts: Numbers, offset: int, kind: str) -> Numbers:
    """Give the numbers at `offset` of the headers that begin at `starts`."""
    return np.ndarray((len(data) - _HEADER + 1,), kind, data, offset, (1,))[starts].astype(np.int64)


def items_mention_ids(items: Iterable[Item]) -> bool:
    """Tell whether there is a call among what ended whose bodies may have topic ids."""
    for item in items:
        header = item.header if isinstance(item, Call) else None
        if header is not None and names_topic_ids(header.api_key, header.api_version):
            return True
    return False
