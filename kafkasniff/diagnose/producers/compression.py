# cython: language_level=3, annotation_typing=False, boundscheck=True
"""The rule about batches that compression would make smaller."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from lz4.block import compress

from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, state_of
from kafkasniff.diagnose.seen.produced import Produced
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import PRODUCE

SAMPLED_BYTES = 16_384
"""Bytes of a `records` field that are compressed as a sample."""
SAMPLES = 8
"""Samples taken of a client's topic; its further batches are taken to be like them."""


class TopicKey(NamedTuple):
    """A client's records for a topic."""

    client: Client
    topic: str | None
    """Its name, or its id."""


class Compressible(Tally):
    """Bytes that compression would have made smaller."""

    __slots__ = ("bytes", "compressed", "sampled", "samples", "squeezed")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.compressed = False
        """Whether other batches are compressed: librdkafka sends those as they are that do not shrink."""
        self.sampled = 0
        self.squeezed = 0
        self.samples = 0
        self.bytes = 0


class UncompressedBatches(Rule[Compressible]):
    """A producer sends compressible batches without compression."""

    id = "uncompressed-batches"
    title = "Compressible batches are sent uncompressed"
    severity = "info"
    scope = "client and topic"
    state_type = Compressible
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("bytes", 50_000, "B", "less is not worth a setting"),
        Threshold("ratio", 0.6, "", "of lz4; measured: text to 0.1–0.5, random hexadecimal text to 1"),
        Threshold("records", 2, "records", "sent together: what is alike in records is what compresses"),
    )
    meaning = "Network, disks and page cache carry several times the bytes that they need to."
    wire = "Batches of several records with compression none, whose bytes lz4 would shrink, and none with a codec."
    cause = "No codec is set ({compression.type=lz4})."
    fix = "Set a codec, lz4 or zstd ({compression.type=lz4})."

    @cython.locals(seen=SeenCall, item=Produced, state=Compressible, tried=Compressible, size=cython.Py_ssize_t)
    def call(self, seen: SeenCall) -> None:
        """Sample batches, and count the bytes of those like them."""
        assert seen.call.request is not None
        for item in seen.produced:
            if not item.plain:
                tried = self.states.get((seen.client, item.topic)) if self.states else None
                if tried is not None:
                    tried.compressed = True
            elif item.records >= self.limits["records"]:
                state = state_of(self, (seen.client, item.topic))  # A plain tuple is made sooner than `TopicKey`.
                size = item.end - item.start
                if state.samples < SAMPLES:
                    sample = seen.call.request.data[item.start : min(item.end, item.start + SAMPLED_BYTES)]
                    state.samples += 1
                    state.sampled += len(sample)
                    state.squeezed += len(compress(sample, store_size=False))
                state.bytes += size
                state.add(seen.call.request.last, "Produce with records that are not compressed", seen.call, item.name)

    def finding(self, key: Any, state: Compressible) -> Finding | None:
        """Fire where enough bytes would shrink, and no codec is at work."""
        key = TopicKey(*key)
        if state.compressed or state.bytes < self.limits["bytes"]:
            return None
        if state.squeezed >= self.limits["ratio"] * state.sampled:
            return None
        share = 100 * state.squeezed // state.sampled
        topic = self.facts.topic_called(key.topic or "") or key.topic
        summary = (
            f"{key.client.name} sent {state.bytes:,} bytes to topic {topic} uncompressed; lz4 shrinks a sample to "
            f"{share} %."
        )
        return self.make(state, client_subject(key.client, state.clients) | {"topic": topic}, summary)


COMPRESSION_RULES: tuple[type[Rule[Any]], ...] = (UncompressedBatches,)
