from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.pipeline.findings.clusters import ClusterNames, Copies, clusters_of, settled
from kafkasniff.reading import Reading
from kafkasniff.tcp.events import Connection, Endpoint

SECOND = 1_000_000_000
ENDS = (Endpoint("10.0.0.1", 40_000), Endpoint("10.0.0.2", 9092))


def report(begun, ended, *, mirrored=False, ended_by="capture-end"):
    first, last = (Arrival(time * SECOND, 1, Interface("a.pcap", 1)) for time in (begun, ended))
    ends = ENDS[::-1] if mirrored else ENDS
    return ConnectionReport(Connection(ends, 0, first, last, ended_by=ended_by), "c", "s", "kafka", "", 0, last)


def test_vantages_with_a_name_in_common_are_one_cluster():
    names = {"a": {"cluster x"}, "b": {"10.0.0.1:9092"}, "c": {"10.0.0.1:9092", "cluster x"}, "d": {"cluster y"}}

    assert clusters_of(names | {"e": set(), "f": set()}) == [["a", "b", "c"], ["d"], ["e"], ["f"]]


def test_the_cluster_id_is_that_of_metadata():
    # `kafka-cluster.sh cluster-id` of the recorded broker; its address is of no use, as each host has the same.
    names = ClusterNames()
    for call in Reading(["captures/java-4.3.1-basic.pcap"]):
        names.take(call)

    (name,) = names.names
    assert name.startswith("cluster ")
    assert len(name) == len("cluster ") + 22


def test_where_nothing_was_answered_servers_tell_the_cluster():
    assert settled({"opened 10.0.0.1:9092", "opened 10.0.0.1:22"}) == {"10.0.0.1:9092", "10.0.0.1:22"}
    assert settled({"opened 10.0.0.1:22", "10.0.0.2:9092"}) == {"10.0.0.2:9092"}


def test_of_a_connection_that_two_saw_the_first_speaks():
    copies = Copies()

    assert copies.takes("broker", report(0, 10, ended_by=None))
    assert not copies.takes("client", report(0, 10, mirrored=True))
    assert copies.takes("broker", report(0, 12))
    assert not copies.takes("client", report(0, 12))


def test_where_one_capture_ends_the_other_goes_on():
    copies = Copies()

    assert copies.takes("broker", report(0, 10))
    assert copies.takes("client", report(0, 60))
    assert not copies.takes("broker", report(0, 60))
