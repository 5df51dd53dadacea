from kafkasniff.capture.errors import CaptureError
from kafkasniff.reading import Summary
from kafkasniff.render.unseen import unseen
from tests.render.made_calls import made_summary


def sentences(summary: Summary) -> list[str]:
    return [part.sentence for part in unseen(summary) if part.sentence]


def of(packets: int = 10, **counts: object) -> Summary:
    return made_summary(packets, **counts)


def test_of_a_capture_that_was_read_whole_nothing_is_missed() -> None:
    assert unseen(of(connections=2, kafka_connections=1, calls=5, others={("http", 80): 1})) == []


def test_tls_with_its_ports() -> None:
    others = {("tls", 9093): 20, ("tls", 9094): 4}
    assert sentences(of(connections=24, others=others)) == [
        "24 of 24 connections are TLS (ports 9093, 9094); --keylog FILE decrypts them: docs/tls.md"
    ]
    summary = of(connections=25, kafka_connections=1, calls=1, others={("tls", 443): 1})
    summary.not_decrypted = ["the key log belongs to other connections"]
    assert sentences(summary) == ["1 of 25 connections is TLS (port 443) and could not be decrypted"]


def test_what_there_was_instead_of_kafka() -> None:
    others = {("http", 8080): 3, ("http", 80): 1, ("empty", 9092): 2, ("tls", 443): 1}
    assert sentences(of(connections=7, others=others))[1] == (
        "no Kafka in the other 6 connections: 4 are HTTP (ports 8080, 80), 2 are without data (port 9092)"
    )


def test_packets_that_were_cut_may_hide_kafka() -> None:
    summary = of(connections=2, others={("unknown", 9092): 2})
    summary.cut_packets = 7
    assert sentences(summary) == [
        "no Kafka in the 2 connections: 2 are not recognised (port 9092);"
        " 7 of 10 packets were cut as they were captured; tcpdump -s 0 captures whole ones"
    ]
    summary = of(connections=1, others={("http", 80): 1})
    summary.cut_packets = 7
    assert "cut" not in sentences(summary)[0]


def test_many_protocols_and_ports_are_cut() -> None:
    others = {("unknown", port): 1 for port in range(1, 9)}
    others |= {(f"p{number}", 7): 1 for number in range(6)}
    (text,) = sentences(of(connections=14, others=others))
    assert "8 are not recognised (ports 1, 2, 3, 4 and others)" in text
    assert text.endswith(", 2 of other protocols")


def test_nothing_at_all() -> None:
    assert sentences(of(packets=0)) == ["there are no packets"]
    assert sentences(of(packets=3)) == ["none of the 3 packets belongs to a TCP connection"]
    assert sentences(of(connections=1, kafka_connections=1)) == ["no call could be read in 1 Kafka connection"]


def test_what_the_capture_lacks() -> None:
    summary = of(connections=5, kafka_connections=5, calls=91, calls_in_part=61, one_way_connections=3)
    assert sentences(summary) == [
        "61 of 91 calls can be read in part only: the capture lacks bytes of their messages",
        "of 3 of 5 Kafka connections the capture has one direction only: no errors or latencies of them can be seen;"
        " capture both directions",
    ]
    summary.cut_packets = 7
    assert "7 of 10 packets were cut as they were captured; tcpdump -s 0" in sentences(summary)[0]
    summary.dropped_packets, summary.damages = 4, [CaptureError("a.pcap: cut")]
    assert [part.what for part in unseen(summary)] == [
        "61 calls in part",
        "3 one-way connections",
        "4 packets that the kernel dropped",
        "1 capture not read to the end",
    ]
