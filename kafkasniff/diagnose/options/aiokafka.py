"""Options of aiokafka."""

from kafkasniff.diagnose.options.library import Advice, Instead, Library, Option

_CONSUMER, _PRODUCER = "aiokafka/consumer/consumer.py", "aiokafka/producer/producer.py"

AIOKAFKA = Library(
    "aiokafka",
    "0.14.0",
    "github.com/aio-libs/aiokafka",
    {
        "client.id": Option("client_id", "aiokafka-VERSION", _CONSUMER),
        "bootstrap.servers": Option("bootstrap_servers", "localhost", _CONSUMER),
        "acks=all": Option('acks="all"', "1; all with enable_idempotence", _PRODUCER),
        "linger.ms": Option("linger_ms", "0", _PRODUCER),
        "batch.size": Option("max_batch_size", "16384", _PRODUCER),
        "compression.type=lz4": Option('compression_type="lz4"', "None", _PRODUCER),
        "max.request.size": Option("max_request_size", "1048576", _PRODUCER),
        "delivery.timeout.ms": Option("request_timeout_ms", "40000", _PRODUCER),
        "request.timeout.ms": Option("request_timeout_ms", "40000", _PRODUCER),
        "retry.backoff.ms": Option("retry_backoff_ms", "100", _PRODUCER),
        "reconnect.backoff.max.ms": Option("retry_backoff_ms", "100", _PRODUCER),
        "metadata.max.age.ms": Option("metadata_max_age_ms", "300000", _PRODUCER),
        "connections.max.idle.ms": Option("connections_max_idle_ms", "540000", _PRODUCER),
        "SO_KEEPALIVE": Instead("lower connections_max_idle_ms, default 540000", _PRODUCER),
        "transactional.id": Option("transactional_id", "", _PRODUCER),
        "transaction.timeout.ms": Option("transaction_timeout_ms", "60000", _PRODUCER),
        "send() without get()": Option("send() and later await its future, instead of send_and_wait()", "", _PRODUCER),
        "onPartitionsRevoked()": Option("ConsumerRebalanceListener.on_partitions_revoked", "", "aiokafka/abc.py"),
        "consumer.pause()": Option("consumer.pause(*partitions)", "", _CONSUMER),
        "fetch.max.wait.ms": Option("fetch_max_wait_ms", "500", _CONSUMER),
        "fetch.min.bytes": Option("fetch_min_bytes", "1", _CONSUMER),
        "fetch.max.bytes": Option("fetch_max_bytes", "52428800", _CONSUMER),
        "max.partition.fetch.bytes": Option("max_partition_fetch_bytes", "1048576", _CONSUMER),
        "max.poll.records": Option("max_poll_records, or max_records of getmany()", "None", _CONSUMER),
        "max.poll.interval.ms": Option("max_poll_interval_ms", "300000", _CONSUMER),
        "session.timeout.ms": Option("session_timeout_ms", "10000", _CONSUMER),
        "heartbeat.interval.ms": Option("heartbeat_interval_ms", "3000", _CONSUMER),
        "partition.assignment.strategy": Option(
            "partition_assignment_strategy", "RoundRobinPartitionAssignor", _CONSUMER
        ),
        "cooperative-sticky": Instead(
            "only eager assignors, of which StickyPartitionAssignor moves least", "aiokafka/coordinator/assignors"
        ),
        "group.id": Option("group_id", "None", _CONSUMER),
        "group.instance.id": Option("group_instance_id", "None", _CONSUMER),
        "group.protocol": Instead("it speaks the classic protocol only", "aiokafka/consumer/group_coordinator.py"),
        "auto.offset.reset": Option("auto_offset_reset", "latest", _CONSUMER),
        "auto.commit.interval.ms": Option("enable_auto_commit with auto_commit_interval_ms", "5000", _CONSUMER),
        "client.rack": Option("client_rack", "None", _CONSUMER),
        "allow.auto.create.topics": Instead(
            "its Metadata lets brokers make topics; set auto.create.topics.enable=false there", "aiokafka/client.py"
        ),
        "security.protocol": Option("security_protocol", "PLAINTEXT", _CONSUMER),
        "sasl.mechanism": Option("sasl_mechanism", "PLAIN", _CONSUMER),
        "sasl.jaas.config": Option("sasl_plain_username and sasl_plain_password", "None", _CONSUMER),
        "ssl.truststore.location": Option(
            "ssl_context, made by create_ssl_context(cafile=…)", "None", "aiokafka/helpers.py"
        ),
        "ssl.keystore.location": Option(
            "ssl_context, made by create_ssl_context(certfile=…, keyfile=…)", "None", "aiokafka/helpers.py"
        ),
        "api_version": Option("api_version", "None", _CONSUMER),
        "re-authentication": Instead(
            "it cannot; retries log in anew on a new connection, and connections.max.reauth.ms of the broker decides "
            "how often",
            "aiokafka/conn.py",
        ),
    },
    (),
    {
        "acks-one": Advice("acks=1 is aiokafka's default.", "Set {acks=all}, with min.insync.replicas=2."),
        "topic-auto-created": Advice(
            "auto.create.topics.enable=true (the default): aiokafka's Metadata requests let brokers make topics, also "
            "of a misspelt name.",
            "Correct the name, and delete the topic. Set auto.create.topics.enable=false on the brokers, and create "
            "topics on purpose: aiokafka has no option for it.",
        ),
    },
)
