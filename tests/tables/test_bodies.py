"""What is read of a body for rows names what the whole body names."""

from kafkasniff.protocol.bodies import find_entities
from kafkasniff.protocol.bodies.scanning import scan_body
from kafkasniff.tables.bodies import fields_of_rows, names_in
from tests.conformance.vector_rows import API_FILES, rows


def test_names_in_all_vectors_are_those_of_the_whole_bodies():
    found = 0
    for file in API_FILES:
        for row in rows(file):
            layout = row["api_key"], row["api_version"], row["kind"]
            scan = scan_body(*layout, bytes.fromhex(row["body_hex"]), 0, fields_of_rows(*layout))
            if scan is None:
                continue
            whole = find_entities(*layout, row["json"])
            names = names_in(*layout, scan.value)
            assert [*map(list, names)] == [whole.get(name, []) for name in ("topicName", "groupId", "topicId")], layout
            found += len(names.topics) + len(names.groups) + len(names.topic_ids)
    assert found > 1_000


def test_of_produced_records_it_is_known_where_they_belong():
    assert {"topicData", "name", "partitionData", "index", "records"} <= fields_of_rows(0, 8, "request")
    assert "partitionIndex" not in fields_of_rows(3, 12, "response")
