import pytest

from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.tables.topic_partitions import topic_partition_of

NAMES = TopicNames()
NAMES.add("id-1", "orders")

FETCH = {"responses": [{"topicId": "id-1", "partitions": [{"partitionIndex": 3, "errorCode": 6}]}]}
UNKNOWN = {"responses": [{"topicId": "id-2", "partitions": [{"partitionIndex": 3, "errorCode": 6}]}]}
PRODUCE = {"responses": [{"name": "bills", "partitionResponses": [{"index": 0, "errorCode": 6}]}]}
PRODUCED = {"topicData": [{"name": "bills", "partitionData": [{"index": 2, "records": None}]}]}
METADATA = {"topics": [{"name": "bills", "errorCode": 3, "partitions": []}]}
API_VERSIONS = {"supportedFeatures": [{"name": "metadata.version"}]}


@pytest.mark.parametrize(
    ("body", "path", "place"),
    [
        (FETCH, "responses[0].partitions[0].errorCode", ("orders", 3)),
        (UNKNOWN, "responses[0].partitions[0].errorCode", (None, 3)),
        (PRODUCE, "responses[0].partitionResponses[0].errorCode", ("bills", 0)),
        (PRODUCED, "topicData[0].partitionData[0].records", ("bills", 2)),
        (METADATA, "topics[0].errorCode", ("bills", None)),
        (METADATA, "topics[4].errorCode", (None, None)),
        (API_VERSIONS, "supportedFeatures[0].name", (None, None)),
        ({"errorCode": 35}, "errorCode", (None, None)),
    ],
)
def test_a_path_leads_through_a_topic_and_a_partition(body, path, place):
    assert topic_partition_of(body, path, NAMES) == place
