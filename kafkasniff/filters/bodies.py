# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Reads of the bodies of calls the fields that a filter asks for, and passes over calls that have none."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from base64 import urlsafe_b64decode
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.calls.enrichment.topics import NO_ID, KnownNames
from kafkasniff.protocol.api_keys import API_VERSIONS, FIND_COORDINATOR
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.collecting import ID, VALUE, FieldCollector
from kafkasniff.protocol.bodies.finders import NO_ENTITY, is_entity
from kafkasniff.protocol.bodies.tables import FieldTable, is_error_code, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, fields_of
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.protocol.records.totals import NO_BATCH, count_records
from kafkasniff.protocol.secrets.messages import may_hold_secrets
from kafkasniff.protocol.typed_names import CONFIG_RESOURCES, TYPED_FIELDS, typed_names

_LOOKED_AT: Final = 1000
"""Calls of which all topics or groups are read, so that these can be named where none is the one asked for."""

_KEYS: Final = 128
_VERSIONS: Final = 32
"""Of APIs of which is remembered whether they have ids of topics: more than Kafka has."""

if not cython.compiled:

    def kafkasniff_contains(data: bytes, text: bytes) -> bool:
        """Tell whether some bytes hold others."""
        return text in data


SIDES: Final[tuple[Side, Side]] = ("request", "response")

Reader = Callable[[Call], Sequence[Any]]
"""Gives the values of a field in a call; empty where it has none."""

Wanted = Callable[[tuple[Field, ...]], bool]
"""Tells of a field, with all those around it, whether it is asked for."""


class Branch(NamedTuple):
    """A field of a body that is asked for, or one with such fields inside."""

    name: str
    inner: tuple["Branch", ...]


class Plan:
    """What is read of one side of the calls of an API in a version."""

    __slots__ = ("branches", "header_version", "ids", "is_decoded", "is_request", "is_typed", "names", "side", "table")

    def __init__(self, api_key: int, version: int, side: Side, branches: tuple[Branch, ...]) -> None:
        """Read the fields of `branches`."""
        self.side: Side = side
        self.is_request = side == "request"
        self.branches = branches
        self.names = frozenset(_names(branches))
        """Of all fields that are read."""
        self.ids: tuple[Branch, ...] = ()
        """That lead to topic ids, where topics are asked for."""
        self.is_typed = False
        """Whether names stand there whose kind is told by a type beside them."""
        self.is_decoded = may_hold_secrets(api_key) or api_key in HOLDING_APIS
        """Whether the whole body is decoded: secrets are replaced in a body and not in a scan of it, and a filter
        should not tell them either; and of some APIs bodies are decoded anyway."""
        self.table = _table(api_key, version, side, branches) if self.names and not self.is_decoded else None
        """By which the values alone are collected, without the structs around them; None where that does not do."""
        self.header_version = response_header_version(api_key, version)
        """Of responses."""


class FieldsReader:
    """Reads all fields of bodies that are wanted."""

    def __init__(self, sides: Sequence[Side], wanted: Wanted) -> None:
        """Read those of `sides`."""
        self.sides = sides
        self.wanted = wanted
        self.known: dict[int, list[Plan]] = {}

    def __call__(self, call: Call) -> Sequence[Any]:
        """Give their values in a call."""
        found: list[Any] = []
        for plan in self.plans(call):
            if collected(call, plan):
                found += _COLLECTOR.values
                continue
            body = _body(call, plan)
            if body is not None:
                _collect(body, plan.branches, found)
        return found

    def plans(self, call: Call) -> list[Plan]:
        """Give what is read of a call."""
        header = call.header
        if header is None:
            return []
        place = header.api_key << 16 | header.api_version
        plans = self.known.get(place)
        if plans is None:
            made = [self.plan(header.api_key, header.api_version, side) for side in self.sides]
            plans = self.known[place] = [plan for plan in made if plan.names]
        return plans

    def plan(self, api_key: int, version: int, side: Side) -> Plan:
        """Make what is read of one side."""
        fields = fields_of(api_definition(api_key, side).fields, version) if api_key in APIS else ()
        return Plan(api_key, version, side, _branches(fields, version, self.wanted, ()))


class EntityReader(FieldsReader):
    """Reads the names of an entity type (`topicName`, …) in bodies; those of topics also by their ids."""

    def __init__(self, entity: str) -> None:
        """Read all that a call names."""
        types = frozenset({entity})
        super().__init__(SIDES, lambda path: is_entity(path[-1], types))
        self.entity = entity

    def __call__(self, call: Call) -> Sequence[Any]:
        """Give the names in a call, without repeats."""
        found: list[Any] = []
        for plan in self.plans(call):
            if collected(call, plan):
                found += _COLLECTOR.values
                found += call.context.topics.of(_COLLECTOR.ids).values()
                continue
            body = _body(call, plan)
            if body is None:
                continue
            _collect(body, plan.branches, found)
            if plan.ids:
                ids: list[Any] = []
                _collect(body, plan.ids, ids)
                found += call.context.topics.of(ids).values()
            if plan.is_typed and call.api_key is not None:
                found += typed_names(call.api_key, plan.side, body).get(self.entity, ())
        return [name for name in dict.fromkeys(found) if name not in NO_ENTITY]

    def plan(self, api_key: int, version: int, side: Side) -> Plan:
        """Make what is read of one side, also of topic ids, and of names whose kind a type tells."""
        plan = FieldsReader.plan(self, api_key, version, side)
        if self.entity == "topicName" and api_key in APIS:
            types = frozenset({"topicId"})
            fields = fields_of(api_definition(api_key, side).fields, version)
            plan.ids = _branches(fields, version, lambda path: is_entity(path[-1], types), ())
            plan.names |= frozenset(_names(plan.ids))
            if plan.ids and not plan.is_decoded:
                plan.table = _table(api_key, version, side, plan.branches, plan.ids)
        resources = CONFIG_RESOURCES.get((api_key, side)) if self.entity != "transactionalId" else None
        is_coordinator = api_key == FIND_COORDINATOR and side == "request" and self.entity != "topicName"
        if resources or is_coordinator:
            plan.names |= TYPED_FIELDS | frozenset({resources} if resources else ())
            plan.is_typed = True
            plan.table = None
        return plan


class NotesReader(FieldsReader):
    """Reads what is noted of bodies whatever is wanted of them, and holds no secrets."""

    def plan(self, api_key: int, version: int, side: Side) -> Plan:
        """Make what is read of one side: no value."""
        plan = FieldsReader.plan(self, api_key, version, side)
        plan.table = _table(api_key, version, side, ()) if plan.names else None
        return plan


class ErrorsReader(NotesReader):
    """Reads the error codes that are not zero."""

    def __init__(self) -> None:
        """Read those of both sides."""
        super().__init__(SIDES, lambda path: is_error_code(path[-1]))

    def __call__(self, call: Call) -> Sequence[Any]:
        """Give the codes in a call."""
        found: list[int] = []
        for plan in self.plans(call):
            if not collected(call, plan):
                # Also of bodies that can be read in another version only.
                return [error.code for error in call.errors]
            if _COLLECTOR.codes:
                found += _COLLECTOR.codes
        return found


class RecordsReader(NotesReader):
    """Counts the records in batches."""

    def __init__(self) -> None:
        """Count those of either side: no call has batches on both."""
        super().__init__(SIDES, lambda path: path[-1].type == "records")

    def __call__(self, call: Call) -> Sequence[Any]:
        """Give how many a call has; nothing where it has no batch."""
        return self.count(call)

    def count(self, call: Call) -> list[int]:
        """Give the same, its variables typed."""
        for plan in self.plans(call):
            totals = None
            frame = call.request if plan.is_request else call.response
            if collected(call, plan):
                totals = count_records(frame.data, _COLLECTOR.batches, plan.side) if frame is not None else NO_BATCH
            if totals is None:
                totals = call.record_totals(plan.side)
            return [totals.records] if totals.codecs else []
        return []


class Needles:
    """Tells whether a field of bodies holds one of some texts; reads it only where the bytes of messages hold one."""

    def __init__(
        self, texts: Sequence[str], means: Callable[[str], bool], fits: Callable[[Any], bool], reader: Reader
    ) -> None:
        """Look for `texts`, of which each value that `means` holds one; topics may also be meant by their ids.

        `fits` says the same of values, and is asked of all of the first calls.
        """
        self.texts = [text.encode("utf-8", "surrogateescape") for text in texts]
        self.means = means
        self.fits = fits
        self.reader = reader
        self.looked = 0
        self.plans = reader.plans if isinstance(reader, EntityReader) else None
        self.with_ids: list[bool | None] = [None] * (_KEYS * _VERSIONS)
        self.names: KnownNames | None = None
        self.ids: list[bytes] = []

    def __call__(self, call: Call) -> bool:
        """Tell it of a call."""
        if self.looked >= _LOOKED_AT and not self.may_be_in(call):
            return False
        values = self.reader(call)
        if values:
            self.looked += 1
        for value in values:  # noqa: SIM110 (any() with a generator takes twice the time)
            if self.fits(value):
                return True
        return False

    def may_be_in(self, call: Call) -> bool:
        """Tell whether a call may hold any of them."""
        request, response, header = call.request, call.response, call.header
        for text in self.texts:
            if request is not None and kafkasniff_contains(request.data, text):
                return True
            if response is not None and kafkasniff_contains(response.data, text):
                return True
        if self.plans is None or header is None:
            return False
        if not (0 <= header.api_key < _KEYS and 0 <= header.api_version < _VERSIONS):
            return False
        layout = header.api_key * _VERSIONS + header.api_version
        with_ids = self.with_ids[layout]
        if with_ids is None:
            with_ids = self.with_ids[layout] = [plan for plan in self.plans(call) if plan.ids] != []
        return bool(with_ids) and self.has_id(call)

    def has_id(self, call: Call) -> bool:
        """Tell whether a call may hold the id of a topic that is meant."""
        names = call.context.topics
        if names is not self.names:
            self.names = names
            meant = [topic_id for topic_id, name in names.known().items() if self.means(name)]
            self.ids = [urlsafe_b64decode(f"{topic_id}==") for topic_id in meant if topic_id != NO_ID]
        for frame in (call.request, call.response):
            for each in self.ids:
                if frame is not None and each in frame.data:
                    return True
        return False


_COLLECTOR = FieldCollector()
"""Holds what was collected last."""


def collected(call: Call, plan: Plan) -> bool:
    """Collect what a plan asks for; tell whether one side of a call could be read so, or is not there."""
    table, header = plan.table, call.header
    if table is None or header is None or call.context.records:
        return False
    if plan.is_request:
        frame, offset = call.request, header.end
    else:
        frame, offset = call.response, 4 + plan.header_version
    if frame is None:
        return bool(_COLLECTOR.clear())
    data = frame.data
    if len(data) != frame.size or (not plan.is_request and offset == 5 and data[4] != 0):
        return False
    return bool(_COLLECTOR.collect(table, data, offset))


def _table(
    api_key: int, version: int, side: Side, values: tuple[Branch, ...], ids: tuple[Branch, ...] = ()
) -> FieldTable | None:
    """Give the table by which values and ids of topics are collected; None where the version has none.

    The answers of ApiVersions may be in another version than their header says.
    """
    api = APIS.get(api_key)
    if (
        api is None
        or not api.first_version <= version <= api.last_version
        or (api_key, side) == (API_VERSIONS, "response")
    ):
        return None
    table = make_table(api_definition(api_key, side), version, frozenset())
    if not (_mark(table, values, VALUE) and _mark(table, ids, ID)):
        return None
    table.tell_roles()
    return table


def _mark(table: FieldTable, branches: tuple[Branch, ...], role: int) -> bool:
    """Mark the fields to collect; tell whether all hold values, and not fields."""
    marked = True
    for field in table.fields:
        for name, inner in branches:
            if name in (field.name, f"{field.name}SizeInBytes"):
                field.is_wanted = True
                field.role = role
                marked = marked and (_mark(field, inner, role) if inner else not field.fields)
    return marked


def _body(call: Call, plan: Plan) -> dict[str, Any] | None:
    """Give at least the fields of a plan, what there is of a body that did not decode whole; None where nothing is."""
    if not plan.is_decoded and not call.context.records:
        scan = call.scan_request(plan.names) if plan.is_request else call.scan_response(plan.names)
        if scan is not None:
            return scan.value
    body = call.request_body if plan.is_request else call.response_body
    return None if body is None else body.value or body.partial


def json_name(field: Field) -> str:
    """Give the name of a field in Kafka's JSON, which has of records their size."""
    return f"{field.name}SizeInBytes" if field.type == "records" else field.name


def _branches(fields: tuple[Field, ...], version: int, wanted: Wanted, above: tuple[Field, ...]) -> tuple[Branch, ...]:
    """Give the branches that lead to wanted fields, and nowhere else."""
    found = []
    for field in fields:
        path = (*above, field)
        inner = _branches(fields_of(field.fields, version), version, wanted, path)
        if inner or wanted(path):
            found.append(Branch(json_name(field), inner))
    return tuple(found)


def _names(branches: tuple[Branch, ...]) -> list[str]:
    """Give the names of fields, also of records as the definition has it."""
    names = [name for branch in branches for name in (branch.name, branch.name.removesuffix("SizeInBytes"))]
    return names + [name for branch in branches for name in _names(branch.inner)]


def _collect(body: dict[str, Any], branches: tuple[Branch, ...], found: list[Any]) -> None:
    for name, inner in branches:
        value = body.get(name)
        if value is None:
            continue
        if type(value) is list:
            if inner:
                for element in value:
                    _collect(element, inner, found)
            else:
                found += value
        elif inner:
            _collect(value, inner, found)
        else:
            found.append(value)
