from kafkasniff.tcp.tls.key_log import CLIENT_APPLICATION, MASTER_SECRET, KeyLog, master_secret_line

RANDOM = bytes(range(32))
MASTER = bytes(range(48))


def line(label: str, random: bytes = RANDOM, secret: bytes = MASTER) -> bytes:
    return f"{label} {random.hex()} {secret.hex()}\n".encode()


def test_gives_secrets_by_label_and_client_random() -> None:
    log = KeyLog()
    assert log.add(b"# comment\n\n" + line("CLIENT_RANDOM") + line("CLIENT_TRAFFIC_SECRET_0", secret=MASTER[:32])) == 2
    assert log.secret(MASTER_SECRET, RANDOM) == MASTER
    assert log.secret(CLIENT_APPLICATION, RANDOM) == MASTER[:32]
    assert log.secret(MASTER_SECRET, bytes(32)) is None


def test_takes_other_line_ends_and_capital_digits() -> None:
    log = KeyLog()
    assert log.add(line("CLIENT_RANDOM").upper().replace(b"\n", b"\r\n")) == 1
    assert log.secret(MASTER_SECRET, RANDOM) == MASTER


def test_passes_over_what_is_no_line() -> None:
    log = KeyLog()
    wrong = (
        b"CLIENT_RANDOM 00 00\n",
        line("CLIENT_RANDOM")[:-2] + b"\n",
        b"client_random " + line("")[1:],
        b"\x00\xff" * 50,
        line("CLIENT_RANDOM").replace(b" ", b":"),
        b"CLIENT_RANDOM " + b"0" * 64 + b" " + b"0" * 10_000 + b"\n",
    )
    assert log.add(b"".join(wrong)) == 0
    assert log.changes == 0


def test_counts_changes_only_of_secrets_it_uses() -> None:
    log = KeyLog()
    assert log.add(line("EXPORTER_SECRET")) == 1
    assert log.changes == 0
    assert log.add(line("CLIENT_RANDOM") + line("CLIENT_RANDOM")) == 2
    assert log.changes == 1


def test_gives_its_secrets_as_lines() -> None:
    log = KeyLog()
    log.add(line("EXPORTER_SECRET") + line("CLIENT_RANDOM") + line("CLIENT_TRAFFIC_SECRET_0", secret=MASTER[:32]))
    log.add(line("CLIENT_RANDOM"))
    assert b"".join(log.lines()) == line("CLIENT_RANDOM") + line("CLIENT_TRAFFIC_SECRET_0", secret=MASTER[:32])


def test_the_oldest_connections_are_forgotten() -> None:
    # 200 bytes each beside label, length and secret.
    log = KeyLog(memory_bytes=20 * 250)
    randoms = [bytes([number]) * 32 for number in range(25)]
    for random in randoms:
        log.add(line("CLIENT_RANDOM", random))
    kept = [log.secret(MASTER_SECRET, random) == MASTER for random in randoms]
    assert kept == [False] * 11 + [True] * 14
    assert log.notes() == [
        "key logs: the secrets of 11 connections, the oldest, were forgotten: more than are kept;"
        " give the lines of the capture's connections only"
    ]


def test_the_last_secret_of_a_connection_counts() -> None:
    # An unfinished line is read again when it is whole.
    log = KeyLog()
    log.add(line("CLIENT_RANDOM")[:-33])
    log.add(line("CLIENT_RANDOM"))
    assert log.secret(MASTER_SECRET, RANDOM) == MASTER


def test_gives_the_lines_of_a_connection() -> None:
    log = KeyLog()
    mine = line("CLIENT_RANDOM") + line("CLIENT_TRAFFIC_SECRET_0", secret=MASTER[:32])
    log.add(line("CLIENT_RANDOM", bytes(32)) + mine)
    assert log.lines_of(RANDOM) == mine
    assert log.lines_of(bytes(31)) == b""
    assert master_secret_line(RANDOM, MASTER) == line("CLIENT_RANDOM")
