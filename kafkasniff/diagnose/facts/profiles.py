# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Who clients are: addresses, software, principals, and the library that they use."""

from bisect import insort
from collections.abc import Iterable

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import ANONYMOUS
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import MOST_NAMES
from kafkasniff.diagnose.options.libraries import library_by_fingerprint, library_by_software
from kafkasniff.diagnose.options.library import Library

MOST_ADDRESSES = 12
"""Addresses that a finding lists."""
_MOST_SOFTWARE = 4
_MOST_GROUPS = 2
Who = tuple[str | None, str]
"""A client: `facts.Client`."""


class Profile:
    """What is known of a client."""

    __slots__ = ("addresses", "client_id", "connections", "members", "principals", "software", "versions")

    def __init__(self, client_id: str | None) -> None:
        """Know no more than a client id."""
        self.client_id = client_id
        self.addresses: list[str] = []
        """The first ones in the order of text, so that it matters little what was captured first."""
        self.connections = 0
        self.members: dict[str, tuple[str, str | None]] = {}
        """By group, the latest member id, and the instance id (KIP-345)."""
        self.principals: dict[str, None] = {}
        self.software: dict[tuple[str, str], None] = {}
        """Names and versions, as ApiVersions tells them (KIP-511)."""
        self.versions: set[tuple[int, int]] = set()
        """API keys and versions of requests that fingerprints are made of."""

    def add_address(self, address: str) -> None:
        """Take the address of a connection."""
        self.connections += 1
        if address not in self.addresses:
            insort(self.addresses, address)
            del self.addresses[MOST_ADDRESSES:]

    def libraries(self) -> set[Library | None]:
        """Give the library that the client uses, or the several; None stands for one that is not known."""
        told = {library_by_software(*software) for software in self.software}
        return told or {library_by_fingerprint(self.client_id, self.versions)}


class Profiles:
    """What is known of clients, bounded."""

    __slots__ = ("_hosts", "_profiles")

    def __init__(self) -> None:
        """Know nobody."""
        self._profiles: Bounded[Profile] = Bounded()
        self._hosts: Bounded[dict[str, None]] = Bounded()
        """Hosts by client id."""

    def meet(self, client: Who, address: str) -> None:
        """Take in that a client uses a connection from this address."""
        self._profile(client).add_address(address)
        client_id, host = client
        if client_id:
            hosts = self._hosts.touch(client_id, dict)
            if len(hosts) < MOST_NAMES:
                hosts[host] = None

    def learn_software(self, client: Who, call: Call) -> None:
        """Take in what a client's ApiVersions says of its software."""
        if call.software_name:
            software = self._profile(client).software
            if len(software) < _MOST_SOFTWARE:
                software[call.software_name, call.software_version or ""] = None

    def learn_principal(self, client: Who, principal: str) -> None:
        """Take in who has logged in."""
        principals = self._profile(client).principals
        if principal != ANONYMOUS and len(principals) < _MOST_SOFTWARE:
            principals[short_name(principal)] = None

    def learn_member(self, client: Who, group: str, member_id: str, instance_id: str | None) -> None:
        """Take in as which member of a group a client speaks."""
        members = self._profile(client).members
        if group in members or len(members) < _MOST_GROUPS:
            members[group] = (short_name(member_id), instance_id and short_name(instance_id))

    def learn_version(self, client: Who, api_key: int, version: int) -> None:
        """Take in that a client sends requests in one of the versions that fingerprints are made of."""
        self._profile(client).versions.add((api_key, version))

    def all(self) -> list[Profile]:
        """Give all clients."""
        return [profile for _, profile in self._profiles.items()]

    def _profile(self, client: Who) -> Profile:
        return self._profiles.touch(client, lambda: Profile(client[0]))

    def known(self, client_ids: Iterable[str], hosts: Iterable[str]) -> list[Profile]:
        """Give the clients with these ids on these hosts; those on all hosts where none of these is theirs."""
        wanted = set(hosts)
        found = []
        for client_id in client_ids:
            theirs = self._hosts.get(client_id) or {}
            found += [(client_id, host) for host in theirs if host in wanted or not wanted & theirs.keys()]
        return [profile for client in found if (profile := self._profiles.get(client)) is not None]

    def nameless(self, addresses: Iterable[str]) -> list[Profile]:
        """Give the clients without client id at these addresses."""
        found = (self._profiles.get((None, address)) for address in addresses)
        return [profile for profile in found if profile is not None]
