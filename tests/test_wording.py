from kafkasniff.wording import file_name


def test_a_file_name_that_is_not_utf_8_can_stand_in_json() -> None:
    assert file_name("b\udcffd.pcap") == "b\ufffdd.pcap"
    assert file_name("captures/größe.pcap") == "captures/größe.pcap"
