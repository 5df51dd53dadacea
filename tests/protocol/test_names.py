import confluent_kafka
import pytest

from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.names import camel_case, find_api, find_error, message_names, no_api, no_error


@pytest.mark.parametrize("text", ["2", "LIST_OFFSETS", "ListOffsets", "listoffsets", "list-offsets", " list_offsets "])
def test_find_an_api_in_any_form(text: str) -> None:
    api = find_api(text)
    assert api is not None
    assert (api.key, api.name) == (2, "LIST_OFFSETS")


@pytest.mark.parametrize("text", ["", "999", "-1", "LIST", "1.5", "²"])
def test_unknown_apis(text: str) -> None:
    assert find_api(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "6", " 6 ", "NOT_LEADER_OR_FOLLOWER", "not_leader_or_follower", "not-leader-or-follower", "NotLeaderOrFollower",
        "NotLeaderOrFollowerException", "Errors.NOT_LEADER_OR_FOLLOWER",
        # Kafka before 2.6; kafka-python; librdkafka.
        "NOT_LEADER_FOR_PARTITION", "NotLeaderForPartitionError", "RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION",
    ],
)  # fmt: skip
def test_find_an_error_in_any_form(text: str) -> None:
    error = find_error(text)
    assert error is not None
    assert (error.code, error.name, error.retriable) == (6, "NOT_LEADER_OR_FOLLOWER", True)


def test_find_the_negative_code() -> None:
    error = find_error("-1")
    assert error is not None
    assert error.name == "UNKNOWN_SERVER_ERROR"


@pytest.mark.parametrize("text", ["", "-", "999", "NOT_LEADER", "6x", "exception", "error"])
def test_unknown_errors(text: str) -> None:
    assert find_error(text) is None


def test_every_name_of_librdkafka_leads_to_its_code() -> None:
    of_kafka = {name: code for name, code in vars(confluent_kafka.KafkaError).items() if name.isupper() and code >= -1}
    assert len(of_kafka) > 100
    for name, code in of_kafka.items():
        for form in (name, f"RD_KAFKA_RESP_ERR_{name}", camel_case(name)):
            error = find_error(form)
            assert error is not None, form
            assert error.code == code, form


@pytest.mark.parametrize(
    ("exception", "code"),
    [
        # Where Errors.forCode(code).exceptionName() of Kafka 4.3.1 says something else than the code's name.
        ("CorruptRecordException", 2), ("TimeoutException", 7), ("RecordTooLargeException", 10),
        ("ControllerMovedException", 11), ("InvalidTopicException", 17), ("RecordBatchTooLargeException", 18),
        ("TopicAuthorizationException", 29), ("GroupAuthorizationException", 30), ("ClusterAuthorizationException", 31),
        ("TopicExistsException", 36), ("InvalidConfigurationException", 40), ("OutOfOrderSequenceException", 45),
        ("DuplicateSequenceException", 46), ("InvalidPidMappingException", 49), ("InvalidTxnTimeoutException", 50),
        ("TransactionalIdAuthorizationException", 53), ("SaslAuthenticationException", 58),
        ("DelegationTokenDisabledException", 61), ("UnsupportedByAuthenticationException", 64),
        ("DelegationTokenAuthorizationException", 65), ("GroupNotEmptyException", 68),
        ("PrincipalDeserializationException", 97), ("UnknownServerException", -1),
    ],
)  # fmt: skip
def test_javas_exceptions(exception: str, code: int) -> None:
    error = find_error(exception)
    assert error is not None
    assert error.code == code


def test_names_of_errors_are_found_as_they_are() -> None:
    for error in ERROR_CODES.values():
        assert find_error(error.name) is error
        assert find_error(camel_case(error.name)) is error
        assert find_error(str(error.code)) is error


def test_what_is_said_of_unknown_names() -> None:
    assert no_api("fech") == "no API has the name or key 'fech'; did you mean Fetch or FetchSnapshot?"
    assert no_api("zzz") == "no API has the name or key 'zzz'; `kafkasniff apis` lists them all."
    assert no_error("NOT_LEEDER").startswith("no error has the code or name 'NOT_LEEDER'; did you mean NOT_LEADER_")


def test_camel_case_is_how_kafka_names_its_messages() -> None:
    assert camel_case("LIST_OFFSETS") == "ListOffsets"
    assert camel_case("API_VERSIONS") == "ApiVersions"


def test_messages_have_their_names_in_texts_for_people() -> None:
    text = "2 × JOIN_GROUP v9, OFFSET_FETCH: NOT_COORDINATOR; FETCH-1, my.FETCH, FETCHED, METADATA"
    said = "2 × JoinGroup v9, OffsetFetch: NOT_COORDINATOR; FETCH-1, my.FETCH, FETCHED, METADATA"
    assert message_names(text, {"METADATA"}) == said
