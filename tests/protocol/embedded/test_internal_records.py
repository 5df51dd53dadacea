from kafkasniff.protocol.embedded.internal_records import decode_internal_record

# UserScramCredentialRecord: name, mechanism, salt, stored key, server key, iterations.
CREDENTIAL = bytes.fromhex("01 0b 00 06 616c696365 01 03 aaaa 03 bbbb 03 cccc 00001000 00")


def test_other_topics_are_not_internal() -> None:
    assert decode_internal_record("orders", b"\0\1", b"") is None


def test_secrets_are_hidden_unless_asked_for() -> None:
    hidden = decode_internal_record("__cluster_metadata", None, CREDENTIAL)
    shown = decode_internal_record("__cluster_metadata", None, CREDENTIAL, show_secrets=True)
    assert hidden is not None
    assert shown is not None
    assert hidden.embedded[0].value == {
        "name": "alice",
        "mechanism": 1,
        "salt": "***",
        "storedKey": "***",
        "serverKey": "***",
        "iterations": 4096,
    }
    assert shown.embedded[0].value is not None
    assert shown.embedded[0].value["storedKey"] == "u7s="


def test_secrets_of_a_cut_record_are_hidden() -> None:
    cut = decode_internal_record("__cluster_metadata", None, CREDENTIAL[:-3])
    assert cut is not None
    assert cut.embedded[0].value is None
    assert cut.embedded[0].partial is not None
    assert cut.embedded[0].partial["serverKey"] == "***"


def test_of_a_damaged_credential_no_text_is_shown() -> None:
    shown = decode_internal_record("__cluster_metadata", None, b"\1\x0b\0" + b"\x08hunter2" + b"\1\x7f")
    assert shown is not None
    assert shown.embedded[0].partial == {"name": "***", "mechanism": 1}
