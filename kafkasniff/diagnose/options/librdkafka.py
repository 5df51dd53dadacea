"""Options of librdkafka, and of the libraries that wrap it."""

from kafkasniff.diagnose.options.library import Advice, Instead, Library, Option

_PAGE = "CONFIGURATION.md"

LIBRDKAFKA = Library(
    "librdkafka",
    "2.15.0",
    "github.com/confluentinc/librdkafka",
    {
        "client.id": Option("client.id", "rdkafka", _PAGE),
        "bootstrap.servers": Option("bootstrap.servers", "", _PAGE),
        "acks=all": Option("acks=all", "all", _PAGE),
        "linger.ms": Option("linger.ms", "5", _PAGE),
        "batch.size": Option("batch.size and batch.num.messages", "1000000 and 10000", _PAGE),
        "compression.type=lz4": Option("compression.type=lz4", "none", _PAGE),
        "max.request.size": Option("message.max.bytes", "1000000", _PAGE),
        "delivery.timeout.ms": Option("message.timeout.ms", "300000", _PAGE),
        "request.timeout.ms": Option("socket.timeout.ms, and request.timeout.ms of producers", "60000, 30000", _PAGE),
        "retry.backoff.ms": Option("retry.backoff.ms", "100", _PAGE),
        "reconnect.backoff.max.ms": Option("reconnect.backoff.max.ms", "10000", _PAGE),
        "metadata.max.age.ms": Option("topic.metadata.refresh.interval.ms", "300000", _PAGE),
        "connections.max.idle.ms": Option("connections.max.idle.ms", "0: never", _PAGE),
        "SO_KEEPALIVE": Option("socket.keepalive.enable=true", "false", _PAGE),
        "transactional.id": Option("transactional.id", "", _PAGE),
        "transaction.timeout.ms": Option("transaction.timeout.ms", "60000", _PAGE),
        "send() without get()": Option(
            "produce() with a delivery report callback, no flush() each", "", "INTRODUCTION.md"
        ),
        "onPartitionsRevoked()": Option("rebalance_cb", "", _PAGE),
        "consumer.pause()": Option("rd_kafka_pause_partitions()", "", "src/rdkafka.h"),
        "fetch.max.wait.ms": Option("fetch.wait.max.ms", "500", _PAGE),
        "fetch.min.bytes": Option("fetch.min.bytes", "1", _PAGE),
        "fetch.max.bytes": Option("fetch.max.bytes", "52428800", _PAGE),
        "max.partition.fetch.bytes": Option("max.partition.fetch.bytes", "1048576", _PAGE),
        "max.poll.records": Instead(
            "each poll gives one message; consume in smaller batches (max.poll.records is for share consumers only)",
            _PAGE,
        ),
        "max.poll.interval.ms": Option("max.poll.interval.ms", "300000", _PAGE),
        "session.timeout.ms": Option("session.timeout.ms", "45000", _PAGE),
        "heartbeat.interval.ms": Option("heartbeat.interval.ms", "3000", _PAGE),
        "partition.assignment.strategy": Option("partition.assignment.strategy", "range,roundrobin", _PAGE),
        "cooperative-sticky": Option("partition.assignment.strategy=cooperative-sticky", "", _PAGE),
        "group.id": Option("group.id", "", _PAGE),
        "group.instance.id": Option("group.instance.id", "", _PAGE),
        "group.protocol": Option("group.protocol", "classic", _PAGE),
        "auto.offset.reset": Option("auto.offset.reset", "largest", _PAGE),
        "auto.commit.interval.ms": Option("enable.auto.commit with auto.commit.interval.ms", "5000", _PAGE),
        "client.rack": Option("client.rack", "", _PAGE),
        "allow.auto.create.topics": Option("allow.auto.create.topics", "false in consumers, true in producers", _PAGE),
        "security.protocol": Option("security.protocol", "plaintext", _PAGE),
        "sasl.mechanism": Option("sasl.mechanisms", "GSSAPI", _PAGE),
        "sasl.jaas.config": Option("sasl.username and sasl.password", "", _PAGE),
        "ssl.truststore.location": Option("ssl.ca.location", "", _PAGE),
        "ssl.keystore.location": Option("ssl.certificate.location and ssl.key.location", "", _PAGE),
        "api_version": Option("api.version.request=false and broker.version.fallback", "true and 0.10.0", _PAGE),
        "re-authentication": Instead("the library does it by itself since 2.2.0", "INTRODUCTION.md"),
    },
    ("librdkafka",),
    {
        "uncompressed-batches": Advice(
            "compression.type is none, which is librdkafka's default. Where one is set, it sends those batches as they "
            "are that do not shrink.",
            "Set {compression.type=lz4}; zstd shrinks more.",
        ),
    },
)

PYTHON = LIBRDKAFKA.wrapped(
    "confluent-kafka (Python)",
    ("confluent-kafka-python",),
    {
        "send() without get()": Option(
            "produce(…, on_delivery=…) without flush() each", "", "confluent_kafka.Producer"
        ),
        "onPartitionsRevoked()": Option("subscribe(…, on_revoke=…)", "", "confluent_kafka.Consumer"),
        "consumer.pause()": Option("Consumer.pause(partitions)", "", "confluent_kafka.Consumer"),
        "max.poll.records": Instead(
            "poll() gives one message; lower num_messages of consume()", "confluent_kafka.Consumer"
        ),
    },
)

GO = LIBRDKAFKA.wrapped("confluent-kafka-go", ("confluent-kafka-go",), {})

NODE = LIBRDKAFKA.wrapped("node-rdkafka", ("node-rdkafka",), {})

JAVASCRIPT = LIBRDKAFKA.wrapped("confluent-kafka-javascript", ("confluent-kafka-javascript",), {})


def _property(setting: str) -> str:
    """Give the name that .NET's ClientConfig has for an option: `linger.ms` is LingerMs (Config_gen.cs)."""
    words = (word if "." not in word else _camel_case(word) for word in setting.split(" "))
    return " ".join(words)


def _camel_case(setting: str) -> str:
    name, equals, value = setting.partition("=")
    end = "," if name.endswith(",") else ""
    return "".join(word.capitalize() for word in name.rstrip(",").split(".")) + end + equals + value.capitalize()


DOTNET = LIBRDKAFKA.wrapped(
    "confluent-kafka-dotnet",
    ("confluent-kafka-dotnet",),
    {
        concept: option._replace(name=_property(option.name), source="dotnet: Config_gen.cs")
        for concept, option in LIBRDKAFKA.options.items()
        if isinstance(option, Option) and option.source == _PAGE and option.name != "rebalance_cb"
    }
    | {
        "acks=all": Option("Acks = Acks.All", "all", "dotnet: Config_gen.cs"),
        "sasl.mechanism": Option("SaslMechanism", "GSSAPI", "dotnet: Config_gen.cs"),
        "onPartitionsRevoked()": Option("SetPartitionsRevokedHandler", "", "dotnet: ConsumerBuilder.cs"),
        "send() without get()": Option(
            "Produce(…, handler) instead of await ProduceAsync() each", "", "dotnet: Producer.cs"
        ),
        "consumer.pause()": Option("Consumer.Pause(partitions)", "", "dotnet: Consumer.cs"),
        "max.poll.records": Instead("Consume() gives one message", "dotnet: Consumer.cs"),
    },
)

LIBRDKAFKA_LIBRARIES = (LIBRDKAFKA, PYTHON, GO, DOTNET, NODE, JAVASCRIPT)
