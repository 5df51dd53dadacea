from kafkasniff.protocol.embedded.entries import Embedded, Opened
from kafkasniff.protocol.embedded.principal import open_principal


def opened(data: str) -> Opened:
    into = Opened([], [])
    open_principal(into, "requestPrincipal", bytes.fromhex(data))
    return into


def test_a_principal_behind_its_version() -> None:
    into = opened("0000 05 55736572 06 616c696365 01 00")
    value = {"type": "User", "name": "alice", "tokenAuthenticated": True}
    assert into == Opened([Embedded("requestPrincipal", "DefaultPrincipalData", 0, value)], [])


def test_what_no_default_serde_wrote_is_a_problem() -> None:
    for data in ("", "00", "0000 7f", "0007 00"):
        into = opened(data)
        assert all(entry.value is None for entry in into.embedded)
        assert [path for path, _ in into.problems] == ["requestPrincipal"]
