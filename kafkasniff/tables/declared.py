"""The tables, declared once: from here come Arrow's schemas, Spark's, and the documentation."""

from typing import Final, NamedTuple


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: str
    """As Arrow writes it."""
    meaning: str
    nullable: bool = True
    """Whether it may be null; readers are told where it never is."""


class Table(NamedTuple):
    """A table."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


PARTITIONS: Final = (
    Column("run_id", "string", "the run that wrote the row: a hash of its inputs and options"),
    Column("date", "date32", "the UTC date of `time`"),
)
"""Of every table: folders `run_id=…/date=…`."""

_TIME: Final = "timestamp[us, tz=UTC]"
_TEXT, _TEXTS = "string", "list<string>"

_CONNECTION: Final = (
    Column(
        "vantage",
        _TEXT,
        "the capture point: directory and name of its files without what rotation adds",
        nullable=False,
    ),
    Column("connection", _TEXT, "`client-server`", nullable=False),
    Column(
        "epoch", "int32", "how many earlier connections of the vantage had the same addresses and ports", nullable=False
    ),
)
_CALL: Final = (
    *_CONNECTION,
    Column(
        "direction",
        _TEXT,
        "`request`, or `response` where the request was not captured: of `stream_offset`",
        nullable=False,
    ),
    Column(
        "stream_offset",
        "int64",
        "where the message begins in its direction's stream, from the first byte seen; with the columns before it "
        "the key of a call",
        nullable=False,
    ),
    Column("time", _TIME, "when the request's first byte was captured (else the response's)", nullable=False),
    Column("time_ns", "int64", "the same in nanoseconds since 1970-01-01 UTC", nullable=False),
    Column("client", _TEXT, "`ip:port`, IPv6 in brackets", nullable=False),
    Column("client_host", _TEXT, "the address in `client`", nullable=False),
    Column("server", _TEXT, "`ip:port`, IPv6 in brackets", nullable=False),
    Column("api_key", "int16", "the API; null where the request was not captured"),
    Column("api_name", _TEXT, "its name as in Kafka's ApiKeys"),
    Column("api_version", "int16", "the request's version"),
    Column("client_id", _TEXT, "the client id"),
)
_PLACE: Final = (
    Column("where", _TEXT, "`request` or `response`", nullable=False),
    Column("path", _TEXT, "the path of the field in the body", nullable=False),
    Column("topic", _TEXT, "the topic that the path leads through, where there is one and its name is known"),
    Column("partition", "int32", "the partition that the path leads through, where there is one"),
)

CALLS: Final = Table(
    "calls",
    "One row a call.",
    (
        *_CALL,
        Column("correlation_id", "int32", "the correlation id", nullable=False),
        Column("response_api_version", "int16", "the version of the answer's layout"),
        Column("outcome", _TEXT, "as in the JSON lines", nullable=False),
        Column("total_time_ms", "double", "from the request's first byte to the response's last"),
        Column("response_delay_ms", "double", "from the request's last byte to the response's first"),
        Column("pending_ms", "double", "of `response-not-captured`: how long the answer was known to be out"),
        Column("request_size_bytes", "int64", "the size prefix's value"),
        Column("response_size_bytes", "int64", "the size prefix's value"),
        Column("request_file", _TEXT, "the file of the packet that completed the request"),
        Column("request_packet", "int64", "the number of that packet in its file, from 1"),
        Column("response_file", _TEXT, "the file of the packet that completed the response"),
        Column("response_packet", "int64", "the number of that packet in its file, from 1"),
        Column("topics", _TEXTS, "topics that the bodies name, and that the topic ids in them stand for"),
        Column("groups", _TEXTS, "groups that the bodies name"),
        Column("error_names", _TEXTS, "the names of the error codes in the bodies, each once"),
        Column("problems", _TEXTS, "what is wrong with the messages"),
        Column("security_protocol", _TEXT, "`PLAINTEXT`, `SSL`, `SASL_PLAINTEXT` or `SASL_SSL`"),
        Column("principal", _TEXT, "who logged in on the connection"),
        Column("software_name", _TEXT, "the client's software, as its ApiVersions request says"),
        Column("software_version", _TEXT, "the version of that software"),
        Column("throttle_time_ms", "int32", "how long the broker held the answer back, or asks the client to wait"),
        Column("acks", "int16", "of Produce: 0, 1, or -1 for all"),
        Column("timeout_ms", "int32", "how long the broker may take, as the request says"),
        Column("max_wait_ms", "int32", "of Fetch: how long the broker may wait for `min_bytes`"),
        Column("min_bytes", "int32", "of Fetch: bytes that are waited for"),
        Column("max_bytes", "int32", "of Fetch: bytes of an answer at most"),
        Column("isolation_level", "int8", "of Fetch and ListOffsets: 0 read uncommitted, 1 read committed"),
        Column("session_timeout_ms", "int32", "of JoinGroup: the session timeout"),
        Column("rebalance_timeout_ms", "int32", "of JoinGroup: the rebalance timeout"),
        Column("rack_id", _TEXT, "the rack that the client says it is in"),
    ),
)
ERRORS: Final = Table(
    "errors",
    "One row an error code in a body that is not 0.",
    (
        *_CALL,
        *_PLACE,
        Column("code", "int16", "the error code"),
        Column("name", _TEXT, "its name in Kafka's Errors"),
    ),
)
BATCHES: Final = Table(
    "batches",
    "One row a record batch in a Produce request, a Fetch response and the like.",
    (
        *_CALL,
        *_PLACE,
        Column("magic", "int8", "the format of the batch"),
        Column("base_offset", "int64", "the offset of its first record"),
        Column("last_offset", "int64", "the offset of its last record"),
        Column("partition_leader_epoch", "int32", "the epoch of the leader that wrote it"),
        Column("compression", _TEXT, "`none`, `gzip`, `snappy`, `lz4` or `zstd`"),
        Column("timestamp_type", _TEXT, "`CreateTime` or `LogAppendTime`; `NoTimestampType` in magic 0"),
        Column("base_timestamp", "int64", "the first record's timestamp in ms since 1970; null in magic 0 and 1"),
        Column("max_timestamp", "int64", "the latest timestamp in ms since 1970; -1 in magic 0"),
        Column("producer_id", "int64", "the idempotent producer, or -1"),
        Column("producer_epoch", "int16", "the producer's epoch, or -1"),
        Column("base_sequence", "int32", "the sequence number of the first record, or -1"),
        Column("is_transactional", "bool", "whether it belongs to a transaction"),
        Column("is_control", "bool", "whether it is a marker and no data"),
        Column("record_count", "int32", "records in it; null where only decompression would tell"),
        Column("size_in_bytes", "int64", "bytes of the batch"),
        Column("crc_valid", "bool", "whether its checksum is right; null where bytes lack"),
        Column(
            "decompressed_bytes",
            "int64",
            "bytes that it has without compression; null where only decompression would tell",
        ),
    ),
)
RECORDS: Final = Table(
    "records",
    "One row a record; only where records are asked for.",
    (
        *_CALL,
        *_PLACE,
        Column("offset", "int64", "the record's offset"),
        Column("timestamp", "int64", "the record's timestamp in ms since 1970"),
        Column("key", "binary", "the key; null is null"),
        Column("value", "binary", "the value; null is a tombstone"),
        Column("headers", "list<struct<key: string, value: binary>>", "the headers"),
    ),
)


def _side_columns(side: str) -> tuple[Column, ...]:
    """Give the columns for what one side of a connection sent."""
    return (
        Column(f"{side}_packets", "int64", f"packets of the {side}"),
        Column(f"{side}_bytes", "int64", "payload bytes, each counted once"),
        Column(f"{side}_retransmissions", "int64", "segments that repeated bytes already seen"),
        Column(f"{side}_out_of_order", "int64", "segments that came before bytes they follow"),
        Column(f"{side}_gaps", "int64", "places where bytes lack"),
        Column(f"{side}_gap_bytes", "int64", "bytes that lack, where their number is known"),
        Column(f"{side}_cut_packets", "int64", "packets captured shorter than they were"),
        Column(f"{side}_conflicts", "int64", "segments that repeated bytes with other contents"),
    )


CONNECTIONS: Final = Table(
    "connections",
    "One row a TCP connection, Kafka or not.",
    (
        *_CONNECTION,
        Column("time", _TIME, "when its first packet was captured"),
        Column("time_ns", "int64", "the same in nanoseconds since 1970-01-01 UTC"),
        Column("last_time", _TIME, "when its last packet was captured"),
        Column("client", _TEXT, "`ip:port`, IPv6 in brackets"),
        Column("server", _TEXT, "`ip:port`, IPv6 in brackets"),
        Column("protocol", _TEXT, "`kafka`, `tls`, `http`, …, `unknown`, or `empty` when no data was seen"),
        Column("evidence", _TEXT, "why we think so"),
        Column("calls", "int64", "its calls"),
        *_side_columns("client"),
        *_side_columns("server"),
        Column("round_trip_ms", "double", "time from SYN to the ACK of the SYN-ACK, or the like"),
        Column("began", _TEXT, "`handshake` or `mid-stream`"),
        Column("ended", _TEXT, "`fin`, `rst`, `reuse`, `idle` or `capture-end`"),
        Column("ended_by", _TEXT, "`client` or `server`: who sent the first FIN, or the RST"),
        Column("first_file", _TEXT, "the file of its first packet"),
        Column("first_packet", "int64", "the number of that packet in its file, from 1"),
        Column("last_file", _TEXT, "the file of its last packet"),
        Column("last_packet", "int64", "the number of that packet in its file, from 1"),
        Column("tls_version", _TEXT, "the version of TLS"),
        Column("tls_cipher", _TEXT, "the cipher suite"),
        Column("tls_server_name", _TEXT, "the server name that the client asked for"),
        Column("tls_decrypted", "bool", "whether it was decrypted; null without TLS"),
        Column("tls_failure", _TEXT, "why not"),
        Column("tls_server_subject", _TEXT, "whose the server's certificate is, where it was seen"),
        Column("tls_server_expires", _TIME, "until when that is valid"),
        Column("tls_client_subject", _TEXT, "whose the client's certificate is, where it was seen"),
        Column("tls_client_expires", _TIME, "until when that is valid"),
        Column("tunnel", _TEXTS, "encapsulations, outermost first"),
    ),
)
FILES: Final = Table(
    "files",
    "One row a file that was looked at, also where it could not be read.",
    (
        Column("vantage", _TEXT, "the capture point that it belongs to"),
        Column("file", _TEXT, "its path"),
        Column("size_bytes", "int64", "its size when it was listed"),
        Column("modified", _TIME, "when it was written to last, as it was listed"),
        Column("head", "binary", "its first 64 bytes: another file in its place has others"),
        Column("time", _TIME, "the time of its first packet"),
        Column("last_time", _TIME, "the time of its last packet"),
        Column("packets", "int64", "packets read"),
        Column("cut_packets", "int64", "packets captured shorter than they were"),
        Column("unjoined_fragments", "int64", "IP fragments whose others are not in the file, not read"),
        Column("state", _TEXT, "`read`, `damaged` (read up to the damage) or `not read`"),
        Column("reason", _TEXT, "why it was not read, or not to its end"),
    ),
)
FINDINGS: Final = Table(
    "findings",
    "One row a finding, as `diagnose` gives them.",
    (
        Column("vantages", _TEXTS, "the capture points that see one cluster: their calls were looked at together"),
        Column("rule", _TEXT, "the rule's id"),
        Column("severity", _TEXT, "`error`, `warning` or `info`"),
        Column("time", _TIME, "when it was first seen"),
        Column("last_time", _TIME, "when it was last seen"),
        Column("count", "int64", "how often it was seen"),
        Column("subject", _TEXT, "whom it is about, as JSON"),
        Column("summary", _TEXT, "what was seen"),
        Column("cause", _TEXT, "why it happens"),
        Column("fix", _TEXT, "what to change"),
        Column("evidence", _TEXT, "packets that show it, as JSON; `number` is null, as pieces number no calls"),
        Column("consequences", _TEXT, "findings that this one explains, as JSON"),
    ),
)

EVENTS: Final = Table(
    "_events",
    "What rules look at; not kept once the findings are written.",
    (
        Column("vantage", _TEXT, "the capture point"),
        Column("time", "int64", "when it ended, or the capture, in ns since 1970"),
        Column("at_end", "bool", "whether only the capture's end ended it"),
        Column("order_time", "int64", "when it ended; of what the capture's end ended: when its connection began"),
        Column("order_packet", "int64", "the number of that packet in its file"),
        Column("bucket", "int32", "the task that gave it"),
        Column("serial", "int64", "its number in that task and capture"),
        Column("client", "int32", "a hash of the client's address, by which the rules are shared out"),
        Column("api", "int16", "the API of a call; -1 for what is none"),
        Column("across", "bool", "whether rules look at it that look across clients"),
        Column("item", "binary", "what ended, packed"),
    ),
)

EVENT_ORDER: Final = ("time", "at_end", "order_time", "order_packet", "bucket", "serial")
"""How events are sorted before rules look at them."""

PARTITIONS_NAMED: Final = Table(
    "partitions",
    "One row a partition that a Produce, Fetch, ListOffsets, OffsetCommit or OffsetFetch call names.",
    (
        *_CALL,
        Column("topic", _TEXT, "the topic; null where only its id is known"),
        Column("partition", "int32", "the partition", nullable=False),
        Column("offset", "int64", "of Fetch the first asked for, of Produce and ListOffsets that told, else committed"),
        Column("bytes", "int64", "bytes of its record batches", nullable=False),
        Column(
            "records", "int64", "records in them, as far as their number is known without decompression", nullable=False
        ),
        Column("error_code", "int16", "the error code that the answer has for it"),
        Column("error_name", _TEXT, "its name in Kafka's Errors, where it is not 0"),
        Column("high_watermark", "int64", "behind the last record that consumers may see"),
        Column("log_start_offset", "int64", "the first offset that is left"),
        Column("lag", "int64", "of Fetch: the high watermark less the offset behind the last record given"),
    ),
)
GROUP_EVENTS: Final = Table(
    "group_events",
    "One row a call by which a member joins, syncs or leaves, and each of its heartbeats that failed.",
    (
        *_CALL,
        Column("group", _TEXT, "the group"),
        Column("event", _TEXT, "`join`, `sync`, `leave` or `heartbeat`"),
        Column("member_id", _TEXT, "the member; of a first join the one that the answer gives"),
        Column("group_instance_id", _TEXT, "of a static member (KIP-345)"),
        Column("generation", "int32", "the generation, or the member's epoch (KIP-848)"),
        Column("leader", _TEXT, "the leader that the answer to a join names"),
        Column("protocol", _TEXT, "the assignor"),
        Column("reason", _TEXT, "why it joins or leaves (KIP-800)"),
        Column("error_name", _TEXT, "the name of the error code, where it is not 0"),
        Column("topics", _TEXTS, "of a join the topics that the member subscribes to"),
        Column(
            "assignment", _TEXTS, "of a sync, or a heartbeat (KIP-848), what the member is to read: `topic-partition`"
        ),
    ),
)
APIS_OFFERED: Final = Table(
    "apis_offered",
    "One row an API that a broker offers, as its first ApiVersions answer at a capture point tells.",
    (
        Column("vantage", _TEXT, "the capture point"),
        Column("time", _TIME, "when the answer came"),
        Column("server", _TEXT, "`ip:port`, IPv6 in brackets"),
        Column("api_key", "int16", "the API"),
        Column("api_name", _TEXT, "its name as in Kafka's ApiKeys"),
        Column("min_version", "int16", "the oldest version that the broker takes"),
        Column("max_version", "int16", "the latest"),
    ),
)
LOGINS: Final = Table(
    "logins",
    "One row a SaslHandshake call, by which a client names its mechanism.",
    (
        *_CALL,
        Column("mechanism", _TEXT, "the SASL mechanism that the client names"),
        Column("enabled", _TEXTS, "the mechanisms that the broker takes"),
        Column("error_name", _TEXT, "the name of the error code, where it is not 0"),
    ),
)
BROKERS: Final = Table(
    "brokers",
    "One row a broker as Metadata answers tell of it, each place once.",
    (
        Column("vantage", _TEXT, "the capture point"),
        Column("time", _TIME, "when the first answer that tells it came"),
        Column("server", _TEXT, "`host:port`, the host as it is told, IPv6 in brackets"),
        Column("node_id", "int32", "its number"),
        Column("rack", _TEXT, "its rack"),
    ),
)
CLIENTS: Final = Table(
    "clients",
    "One row a program: a question over `calls` that is as good as a table.",
    (
        Column("client_host", _TEXT, "its address"),
        Column("client_id", _TEXT, "its client id"),
        Column("software_name", _TEXT, "its software"),
        Column("software_version", _TEXT, "the version of that"),
        Column("principal", _TEXT, "who logged in"),
        Column("security_protocol", _TEXT, "`PLAINTEXT`, `SSL`, `SASL_PLAINTEXT` or `SASL_SSL`"),
        Column("calls", "int64", "its calls"),
        Column("first_time", _TIME, "when the first of them began"),
        Column("last_time", _TIME, "when the last of them began"),
    ),
)

TABLES: Final = {
    table.name: table
    for table in (
        *(CALLS, ERRORS, BATCHES, PARTITIONS_NAMED, GROUP_EVENTS, LOGINS, BROKERS, APIS_OFFERED),
        *(CONNECTIONS, FINDINGS, FILES, RECORDS),
    )
}
"""The tables that the pipeline, `tables` and `sql` have, by name."""
