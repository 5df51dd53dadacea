"""Options of the Java client, which Kafka Streams, Connect and Spring use as well."""

from kafkasniff.diagnose.options.library import Instead, Library, Option

_CONSUMER, _PRODUCER = "clients/consumer/ConsumerConfig.java", "clients/producer/ProducerConfig.java"
_COMMON, _SSL, _SASL = "clients/CommonClientConfigs.java", "config/SslConfigs.java", "config/SaslConfigs.java"

JAVA = Library(
    "the Java client",
    "4.x",
    "github.com/apache/kafka, clients/src/main/java/org/apache/kafka/(common/)",
    {
        "client.id": Option("client.id", "", _COMMON),
        "bootstrap.servers": Option("bootstrap.servers", "", _COMMON),
        "acks=all": Option("acks=all", "all, 1 before 3.0", "KIP-679"),
        "linger.ms": Option("linger.ms", "5, 0 before 4.0", "KIP-1030"),
        "batch.size": Option("batch.size", "16384", _PRODUCER),
        "compression.type=lz4": Option("compression.type=lz4", "none", _PRODUCER),
        "max.request.size": Option("max.request.size", "1048576", _PRODUCER),
        "delivery.timeout.ms": Option("delivery.timeout.ms", "120000", _PRODUCER),
        "request.timeout.ms": Option("request.timeout.ms", "30000", _PRODUCER),
        "retry.backoff.ms": Option("retry.backoff.ms", "100", _COMMON),
        "reconnect.backoff.max.ms": Option("reconnect.backoff.max.ms", "1000", _COMMON),
        "metadata.max.age.ms": Option("metadata.max.age.ms", "300000", _COMMON),
        "connections.max.idle.ms": Option("connections.max.idle.ms", "540000", _COMMON),
        "SO_KEEPALIVE": Instead(
            "SO_KEEPALIVE is always on; the operating system's timer decides", "network/Selector.java"
        ),
        "transactional.id": Option("transactional.id", "", _PRODUCER),
        "transaction.timeout.ms": Option("transaction.timeout.ms", "60000", _PRODUCER),
        "send() without get()": Option(
            "send(record, callback) without get()", "", "clients/producer/KafkaProducer.java"
        ),
        "onPartitionsRevoked()": Option(
            "ConsumerRebalanceListener.onPartitionsRevoked", "", "clients/consumer/KafkaConsumer.java"
        ),
        "consumer.pause()": Option("consumer.pause(partitions)", "", "clients/consumer/KafkaConsumer.java"),
        "fetch.max.wait.ms": Option("fetch.max.wait.ms", "500", _CONSUMER),
        "fetch.min.bytes": Option("fetch.min.bytes", "1", _CONSUMER),
        "fetch.max.bytes": Option("fetch.max.bytes", "52428800", _CONSUMER),
        "max.partition.fetch.bytes": Option("max.partition.fetch.bytes", "1048576", _CONSUMER),
        "max.poll.records": Option("max.poll.records", "500", _CONSUMER),
        "max.poll.interval.ms": Option("max.poll.interval.ms", "300000", _CONSUMER),
        "session.timeout.ms": Option("session.timeout.ms", "45000, 10000 before 3.0", "KIP-735"),
        "heartbeat.interval.ms": Option("heartbeat.interval.ms", "3000", _CONSUMER),
        "partition.assignment.strategy": Option(
            "partition.assignment.strategy", "range, cooperative-sticky", _CONSUMER
        ),
        "cooperative-sticky": Option("partition.assignment.strategy=…CooperativeStickyAssignor", "", "KIP-429"),
        "group.id": Option("group.id", "", _CONSUMER),
        "group.instance.id": Option("group.instance.id", "", _CONSUMER),
        "group.protocol": Option("group.protocol", "classic", _CONSUMER),
        "auto.offset.reset": Option("auto.offset.reset", "latest", _CONSUMER),
        "auto.commit.interval.ms": Option("enable.auto.commit with auto.commit.interval.ms", "5000", _CONSUMER),
        "client.rack": Option("client.rack", "", _CONSUMER),
        "allow.auto.create.topics": Option("allow.auto.create.topics", "true in consumers", _CONSUMER),
        "security.protocol": Option("security.protocol", "PLAINTEXT", _COMMON),
        "sasl.mechanism": Option("sasl.mechanism", "GSSAPI", _SASL),
        "sasl.jaas.config": Option("sasl.jaas.config", "", _SASL),
        "ssl.truststore.location": Option("ssl.truststore.location", "", _SSL),
        "ssl.keystore.location": Option("ssl.keystore.location", "", _SSL),
        "api_version": Instead("its versions follow from the broker's ApiVersions", "clients/NodeApiVersions.java"),
        "re-authentication": Instead("the client does it by itself since 2.2", "KIP-368"),
    },
    ("apache-kafka-java",),
)
