from kafkasniff.tcp.tls.context import TlsContext, TlsLimits
from kafkasniff.tcp.tls.key_log import KeyLog


def context_with_secrets() -> TlsContext:
    key_log = KeyLog()
    key_log.add(f"CLIENT_RANDOM {'00' * 32} {'11' * 48}\n".encode())
    return TlsContext(key_log)


def test_forgets_the_oldest_session_above_the_limit() -> None:
    context = TlsContext(limits=TlsLimits(sessions=2))
    for name in (b"a", b"b", b"a", b"c"):
        context.remember_session(name, b"master of " + name)
    assert context.session(b"b") is None
    assert context.session(b"a") == b"master of a"
    assert context.session(b"c") == b"master of c"


def test_says_nothing_where_no_key_log_was_given() -> None:
    context = TlsContext()
    context.counters.connections = context.counters.without_secrets = 3
    assert context.notes() == []


def test_says_nothing_where_all_was_decrypted() -> None:
    context = context_with_secrets()
    context.counters.connections = context.counters.decrypted = 3
    assert context.notes() == []


def test_one_message_for_a_foreign_key_log() -> None:
    context = context_with_secrets()
    context.counters.connections = context.counters.without_secrets = 3
    assert context.notes() == [
        "the key log belongs to other connections: it has no secrets for any of the 3 TLS connections"
    ]


def test_says_what_was_not_decrypted_and_why() -> None:
    context = context_with_secrets()
    counters = context.counters
    counters.connections = 10
    counters.decrypted, counters.without_secrets, counters.not_supported, counters.late = 6, 2, 1, 1
    assert context.notes() == [
        "2 of 10 TLS connections not decrypted: the key log has no secrets for them",
        "1 of 10 TLS connections not decrypted: their secrets came too late, behind more than 1 MiB of a connection or"
        " 32 MiB of all that waited for them",
        "1 of 10 TLS connections not decrypted: their TLS version or cipher suite cannot be decrypted",
    ]


def test_says_that_secrets_were_forgotten() -> None:
    key_log = KeyLog(memory_bytes=1)
    for number in range(3):
        key_log.add(f"CLIENT_RANDOM {bytes([number] * 32).hex()} {bytes(48).hex()}\n".encode())
    (note,) = TlsContext(key_log).notes()
    assert note.startswith("key logs: the secrets of 2 connections, the oldest, were forgotten")
