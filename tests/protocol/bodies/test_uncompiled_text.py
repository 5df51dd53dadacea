from kafkasniff.protocol.bodies.uncompiled_text import kafkasniff_add, kafkasniff_number, kafkasniff_zeros


def test_what_is_written_stands_behind_what_was() -> None:
    assert kafkasniff_add(b'{"a":', b'"b"') == b'{"a":"b"'
    assert kafkasniff_number(b"[", -(1 << 63)) == b"[-9223372036854775808"


def test_the_last_digits_of_a_number() -> None:
    """As of a time of which the seconds were written before: 1,000,000,007 ns are .000000007 s behind a second."""
    assert kafkasniff_zeros(b"1.", 7, 9) == b"1.000000007"
    assert kafkasniff_zeros(b"1.", 1_000_000_007, 9) == b"1.000000007"
    assert kafkasniff_zeros(b"", 0, 3) == b"000"
