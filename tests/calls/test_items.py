"""Items one by one."""

from kafkasniff.calls.items import Item, taken_out
from kafkasniff.calls.reports import Gap
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Connection, Endpoint


def gap(packet: int) -> Gap:
    arrival = Arrival(0, packet, Interface("made", 1))
    connection = Connection((Endpoint("10.0.0.1", 1), Endpoint("10.0.0.2", 9092)), 0, arrival, arrival)
    return Gap(connection, "10.0.0.1:1", "10.0.0.2:9092", None, 1, arrival)


def test_items_come_in_order_and_leave_the_list() -> None:
    items: list[Item] = [gap(packet) for packet in (1, 2, 3)]
    left = []
    for number, item in enumerate(taken_out(items), 1):
        assert item.arrival.packet == number
        left.append(sum(isinstance(each, Gap) for each in items))
    assert left == [2, 1, 0]
    assert items == []
