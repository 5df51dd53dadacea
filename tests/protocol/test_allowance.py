from kafkasniff.protocol.allowance import Allowance


def test_it_grows_with_what_was_captured_and_shrinks_with_what_was_made() -> None:
    allowance = Allowance(100, 8)
    allowance.earn(10)
    assert allowance.left == 180
    allowance.spend(200)
    assert allowance.left == -20
    allowance.earn(5)
    assert allowance.left == 20
