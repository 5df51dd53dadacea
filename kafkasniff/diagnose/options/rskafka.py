"""Options of rskafka, which has no consumer groups and no transactions."""

from kafkasniff.diagnose.options.library import Instead, Library, Option

_CLIENT, _PRODUCER, _CONSUMER = "src/client/mod.rs", "src/client/producer.rs", "src/client/consumer.rs"
_PARTITION = "src/client/partition.rs"
_NO_GROUPS = Instead("it has no consumer groups", "README.md")
_NO_TRANSACTIONS = Instead("it has no transactions", "README.md")

RSKAFKA = Library(
    "rskafka",
    "0.6.0",
    "github.com/influxdata/rskafka",
    {
        "client.id": Option("ClientBuilder::client_id", "rskafka", _CLIENT),
        "bootstrap.servers": Option("ClientBuilder::new", "", _CLIENT),
        "acks=all": Instead("it always waits for all replicas in sync", _PARTITION),
        "linger.ms": Option("BatchProducerBuilder::with_linger", "5 ms", _PRODUCER),
        "batch.size": Option("RecordAggregator::new(max_batch_size)", "", "src/client/producer/aggregator.rs"),
        "compression.type=lz4": Option(
            "BatchProducerBuilder::with_compression(Compression::Lz4)", "NoCompression", _PRODUCER
        ),
        "max.request.size": Option("RecordAggregator::new(max_batch_size)", "", "src/client/producer/aggregator.rs"),
        "delivery.timeout.ms": Option("BackoffConfig.deadline", "None", "src/backoff.rs"),
        "request.timeout.ms": Option("ClientBuilder::timeout", "None", _CLIENT),
        "retry.backoff.ms": Option("BackoffConfig.init_backoff", "100 ms", "src/backoff.rs"),
        "reconnect.backoff.max.ms": Option("BackoffConfig.max_backoff", "500 s", "src/backoff.rs"),
        "metadata.max.age.ms": Instead(
            "it asks when an error says that its metadata are old", "src/client/metadata_cache.rs"
        ),
        "connections.max.idle.ms": Instead(
            "connections stay open; raise connections.max.idle.ms of the broker", "src/connection.rs"
        ),
        "SO_KEEPALIVE": Instead("the operating system's or proxy's timers decide", "src/connection/transport.rs"),
        "transactional.id": _NO_TRANSACTIONS,
        "transaction.timeout.ms": _NO_TRANSACTIONS,
        "send() without get()": Option("BatchProducer::produce from several tasks at once", "", _PRODUCER),
        "onPartitionsRevoked()": _NO_GROUPS,
        "consumer.pause()": Instead("stop polling the StreamConsumer", _CONSUMER),
        "fetch.max.wait.ms": Option("StreamConsumerBuilder::with_max_wait_ms", "500", _CONSUMER),
        "fetch.min.bytes": Option("StreamConsumerBuilder::with_min_batch_size", "1", _CONSUMER),
        "fetch.max.bytes": Option("StreamConsumerBuilder::with_max_batch_size", "52428800", _CONSUMER),
        "max.partition.fetch.bytes": Option("StreamConsumerBuilder::with_max_batch_size", "52428800", _CONSUMER),
        "max.poll.records": Instead("records come one by one", _CONSUMER),
        "max.poll.interval.ms": _NO_GROUPS,
        "session.timeout.ms": _NO_GROUPS,
        "heartbeat.interval.ms": _NO_GROUPS,
        "partition.assignment.strategy": _NO_GROUPS,
        "cooperative-sticky": _NO_GROUPS,
        "group.id": _NO_GROUPS,
        "group.instance.id": _NO_GROUPS,
        "group.protocol": _NO_GROUPS,
        "auto.offset.reset": Option("start_offset of StreamConsumerBuilder::new", "", _CONSUMER),
        "auto.commit.interval.ms": Instead("it has no commits; the program keeps offsets", "README.md"),
        "client.rack": Instead("it reads from leaders only", _PARTITION),
        "allow.auto.create.topics": Instead(
            "it makes topics by ControllerClient::create_topic only", "src/client/controller.rs"
        ),
        "security.protocol": Option("ClientBuilder::tls_config for TLS, sasl_config for a login", "neither", _CLIENT),
        "sasl.mechanism": Option("the variant of SaslConfig", "", "src/connection.rs"),
        "sasl.jaas.config": Option("Credentials of SaslConfig", "", "src/connection.rs"),
        "ssl.truststore.location": Option("root certificates of the rustls::ClientConfig", "", _CLIENT),
        "ssl.keystore.location": Option("with_client_auth_cert of the rustls::ClientConfig", "", _CLIENT),
        "api_version": Instead("its versions are built in", "src/protocol/messages"),
        "re-authentication": Instead("it cannot; a new connection logs in anew", "src/connection.rs"),
    },
    ("rskafka",),
)
