"""Options of kafka-python."""

from kafkasniff.diagnose.options.library import Instead, Library, Option

_CONSUMER, _PRODUCER = "kafka/consumer/group.py", "kafka/producer/kafka.py"

KAFKA_PYTHON = Library(
    "kafka-python",
    "3.0",
    "github.com/dpkp/kafka-python",
    {
        "client.id": Option("client_id", "kafka-python-VERSION", _CONSUMER),
        "bootstrap.servers": Option("bootstrap_servers", "localhost", _CONSUMER),
        "acks=all": Option('acks="all"', "all, 1 before 3.0", _PRODUCER),
        "linger.ms": Option("linger_ms", "0", _PRODUCER),
        "batch.size": Option("batch_size", "16384", _PRODUCER),
        "compression.type=lz4": Option('compression_type="lz4"', "None", _PRODUCER),
        "max.request.size": Option("max_request_size", "1048576", _PRODUCER),
        "delivery.timeout.ms": Option("delivery_timeout_ms", "120000", _PRODUCER),
        "request.timeout.ms": Option("request_timeout_ms", "30000", _PRODUCER),
        "retry.backoff.ms": Option("retry_backoff_ms", "100", _PRODUCER),
        "reconnect.backoff.max.ms": Option("reconnect_backoff_max_ms", "30000", _PRODUCER),
        "metadata.max.age.ms": Option("metadata_max_age_ms", "300000", _PRODUCER),
        "connections.max.idle.ms": Option("connections_max_idle_ms", "540000", _PRODUCER),
        "SO_KEEPALIVE": Option("socket_options with SO_KEEPALIVE", "TCP_NODELAY alone", _CONSUMER),
        "transactional.id": Option("transactional_id", "None", _PRODUCER),
        "transaction.timeout.ms": Option("transaction_timeout_ms", "60000", _PRODUCER),
        "send() without get()": Option("send() with add_callback() instead of get() each", "", _PRODUCER),
        "onPartitionsRevoked()": Option(
            "ConsumerRebalanceListener.on_partitions_revoked", "", "kafka/consumer/subscription_state.py"
        ),
        "consumer.pause()": Option("consumer.pause(*partitions)", "", _CONSUMER),
        "fetch.max.wait.ms": Option("fetch_max_wait_ms", "500", _CONSUMER),
        "fetch.min.bytes": Option("fetch_min_bytes", "1", _CONSUMER),
        "fetch.max.bytes": Option("fetch_max_bytes", "52428800", _CONSUMER),
        "max.partition.fetch.bytes": Option("max_partition_fetch_bytes", "1048576", _CONSUMER),
        "max.poll.records": Option("max_poll_records", "500", _CONSUMER),
        "max.poll.interval.ms": Option("max_poll_interval_ms", "300000", _CONSUMER),
        "session.timeout.ms": Option("session_timeout_ms", "45000, 10000 before 3.0", _CONSUMER),
        "heartbeat.interval.ms": Option("heartbeat_interval_ms", "3000", _CONSUMER),
        "partition.assignment.strategy": Option("partition_assignment_strategy", "range, roundrobin", _CONSUMER),
        "cooperative-sticky": Option(
            "partition_assignment_strategy=[CooperativeStickyAssignor]", "", "kafka/coordinator/assignors"
        ),
        "group.id": Option("group_id", "None", _CONSUMER),
        "group.instance.id": Option("group_instance_id", "None", _CONSUMER),
        "group.protocol": Instead("it speaks the classic protocol only", "kafka/coordinator/consumer.py"),
        "auto.offset.reset": Option("auto_offset_reset", "latest", _CONSUMER),
        "auto.commit.interval.ms": Option("enable_auto_commit with auto_commit_interval_ms", "5000", _CONSUMER),
        "client.rack": Option("client_rack", "", _CONSUMER),
        "allow.auto.create.topics": Option("allow_auto_create_topics", "True", _CONSUMER),
        "security.protocol": Option("security_protocol", "PLAINTEXT", _CONSUMER),
        "sasl.mechanism": Option("sasl_mechanism", "None", _CONSUMER),
        "sasl.jaas.config": Option("sasl_plain_username and sasl_plain_password", "None", _CONSUMER),
        "ssl.truststore.location": Option("ssl_cafile", "None", _CONSUMER),
        "ssl.keystore.location": Option("ssl_certfile and ssl_keyfile", "None", _CONSUMER),
        "api_version": Option("api_version", "None", _CONSUMER),
        "re-authentication": Instead("the library does it by itself since 3.0", "kafka/net/connection.py"),
    },
    ("kafka-python",),
)
