"""How much the tcp layer may hold, and the account of what it met."""

from typing import NamedTuple


class TcpLimits(NamedTuple):
    """Bounds of the tcp layer. Reaching one is counted in `TcpCounters.limits_reached`."""

    buffered_per_direction: int = 64 << 20
    """Bytes buffered behind holes in one direction; above it the first hole is closed."""
    buffered_in_all: int = 144 << 20
    """Bytes that wait behind holes and for the beginnings of connections, in all connections; above it the hole that
    opened first is closed, and connections begin with what there is of them."""
    remembered: int = 64 << 20
    """Payload bytes after which all delivered bytes remembered so far, to tell repeats, are forgotten."""
    connections: int = 200_000
    """Connections followed at once; above it those idle longest end."""
    half_open: int = 50_000
    """Connections of which only SYNs of one side were seen; above it the oldest end."""
    ended: int = 100_000
    """Ended connections remembered, so that their late segments open no new connection."""
    reordering_packets: int = 64
    """A hole counts as lost when the peer acknowledged its bytes and this many packets of the connection followed,
    a quarter of them in the hole's direction (or `one_way_packets` in the other)."""
    one_way_packets: int = 1_000
    """The same where the peer was not heard since the hole opened."""
    one_way_ns: int = 60_000_000_000
    """The same in capture time, if `reordering_packets` followed too."""
    start_ns: int = 500_000_000
    """How long the first data of a connection without SYN wait for segments that were captured out of order."""
    hole_ns: int = 100_000_000
    """How long a hole may stand whose bytes the peer acknowledged, where `Reassembler.tick` tells the time."""
    closing_ns: int = 1_000_000_000
    """How long a reset connection, or one with both FINs and a hole, waits for segments captured out of order."""
    fragment_bytes: int = 16 << 20
    """Bytes of IP fragments that wait for the rest of their packets."""
    fragment_ns: int = 30_000_000_000
    """How long they wait (capture time); Linux too waits 30 s (net.ipv4.ipfrag_time)."""
    depth: int = 32
    """IP packets within IP packets that are opened."""


class TcpCounters:
    """What the tcp layer met."""

    __slots__ = (
        "after_end",
        "before_start",
        "connections",
        "cut_packets",
        "fragments",
        "fragments_dropped",
        "implausible",
        "limits_reached",
        "malformed",
        "not_ip",
        "not_tcp",
        "packets",
        "segments",
        "unknown_link_types",
    )

    def __init__(self) -> None:
        """Begin with nothing."""
        self.packets = 0
        self.cut_packets = 0
        """Packets captured shorter than they were on the wire."""
        self.segments = 0
        """TCP segments (of IP fragments: the joined ones)."""
        self.not_ip = 0
        """Packets of other network protocols, such as ARP."""
        self.not_tcp = 0
        """IP packets that neither are TCP nor carry it."""
        self.malformed = 0
        """Packets whose headers contradict themselves or end early."""
        self.unknown_link_types: dict[int, int] = {}
        """LINKTYPE_ numbers that cannot be read, with the number of packets."""
        self.fragments = 0
        """IP fragments."""
        self.fragments_dropped = 0
        """IP fragments that repeated others, or whose packet was not completed in time or within bounds."""
        self.connections = 0
        self.before_start = 0
        """Segments from before the first delivered byte of a connection without SYN, not delivered."""
        self.after_end = 0
        """Segments of connections that had ended."""
        self.implausible = 0
        """Segments whose sequence number is far from all others of their stream, not delivered."""
        self.limits_reached: dict[str, int] = {}
        """What a limit of TcpLimits did, in words, and how often."""

    def notes(self) -> list[str]:
        """Give which packets could not be read or used and which limits were reached, in sentences."""
        unread = {f"packets of link type {number} cannot be read": n for number, n in self.unknown_link_types.items()}
        left_out = {
            "packets left out: their headers contradict themselves or end early": self.malformed,
            "IP fragments left out: repeated, or the rest of their packet lacks": self.fragments_dropped,
            "segments left out: far from all others of their stream": self.implausible,
        }
        counts = [*unread.items(), *left_out.items(), *self.limits_reached.items()]
        return [f"{text}: {count:,}" for text, count in counts if count]

    def reach(self, text: str) -> None:
        """Count that a limit was reached."""
        self.limits_reached[text] = self.limits_reached.get(text, 0) + 1
