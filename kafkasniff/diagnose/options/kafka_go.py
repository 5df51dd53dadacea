"""Options of segmentio/kafka-go."""

from kafkasniff.diagnose.options.library import Advice, Instead, Library, Option

_READER, _WRITER, _TRANSPORT, _DIALER = "reader.go", "writer.go", "transport.go", "dialer.go"

KAFKA_GO = Library(
    "kafka-go",
    "0.4.50",
    "github.com/segmentio/kafka-go",
    {
        "client.id": Option(
            "Transport.ClientID, and Dialer.ClientID of readers",
            "PROGRAM@HOST (github.com/segmentio/kafka-go)",
            _TRANSPORT,
        ),
        "bootstrap.servers": Option("Writer.Addr and ReaderConfig.Brokers", "", _WRITER),
        "acks=all": Option("Writer.RequiredAcks = kafka.RequireAll", "RequireNone", _WRITER),
        "linger.ms": Option("Writer.BatchTimeout", "1 s", _WRITER),
        "batch.size": Option("Writer.BatchSize and Writer.BatchBytes", "100 messages and 1048576", _WRITER),
        "compression.type=lz4": Option("Writer.Compression = kafka.Lz4", "none", _WRITER),
        "max.request.size": Option("Writer.BatchBytes", "1048576", _WRITER),
        "delivery.timeout.ms": Option(
            "Writer.MaxAttempts with Writer.WriteBackoffMax", "10 times, up to 1 s apart", _WRITER
        ),
        "request.timeout.ms": Option("Writer.ReadTimeout and Writer.WriteTimeout", "10 s", _WRITER),
        "retry.backoff.ms": Option("Writer.WriteBackoffMin and ReaderConfig.ReadBackoffMin", "100 ms", _WRITER),
        "reconnect.backoff.max.ms": Option("ReaderConfig.ReadBackoffMax and Writer.WriteBackoffMax", "1 s", _READER),
        "metadata.max.age.ms": Option("Transport.MetadataTTL", "6 s", _TRANSPORT),
        "connections.max.idle.ms": Option("Transport.IdleTimeout", "30 s", _TRANSPORT),
        "SO_KEEPALIVE": Option("Dialer.KeepAlive, and Transport.Dial of writers", "0: Go's own, 15 s", _DIALER),
        "transactional.id": Instead("Writer has no transactions; use franz-go or confluent-kafka-go", _WRITER),
        "transaction.timeout.ms": Instead("Writer has no transactions", _WRITER),
        "send() without get()": Option(
            "WriteMessages with many messages at once, or Writer.Async with Completion", "false", _WRITER
        ),
        "onPartitionsRevoked()": Instead(
            "Reader hides rebalances; ConsumerGroup.Next ends a generation's context", "consumergroup.go"
        ),
        "consumer.pause()": Instead("Reader heartbeats while the program works", _READER),
        "fetch.max.wait.ms": Option("ReaderConfig.MaxWait", "10 s", _READER),
        "fetch.min.bytes": Option("ReaderConfig.MinBytes", "1", _READER),
        "fetch.max.bytes": Option("ReaderConfig.MaxBytes", "1 MB", _READER),
        "max.partition.fetch.bytes": Option("ReaderConfig.MaxBytes", "1 MB", _READER),
        "max.poll.records": Instead("messages come one by one; lower ReaderConfig.QueueCapacity, default 100", _READER),
        "max.poll.interval.ms": Instead("Reader heartbeats while the program works", _READER),
        "session.timeout.ms": Option("ReaderConfig.SessionTimeout", "30 s", _READER),
        "heartbeat.interval.ms": Option("ReaderConfig.HeartbeatInterval", "3 s", _READER),
        "partition.assignment.strategy": Option("ReaderConfig.GroupBalancers", "range, roundrobin", _READER),
        "cooperative-sticky": Instead("it has eager assignors only", "groupbalancer.go"),
        "group.id": Option("ReaderConfig.GroupID", "", _READER),
        "group.instance.id": Instead("Reader has no static membership", _READER),
        "group.protocol": Instead("it speaks the classic protocol only", "consumergroup.go"),
        "auto.offset.reset": Option("ReaderConfig.StartOffset", "FirstOffset", _READER),
        "auto.commit.interval.ms": Option(
            "ReaderConfig.CommitInterval", "0: each CommitMessages is a request", _READER
        ),
        "client.rack": Instead(
            "it never follows a nearer replica; RackAffinityGroupBalancer gives partitions by rack", "groupbalancer.go"
        ),
        "allow.auto.create.topics": Option("Writer.AllowAutoTopicCreation", "false", _WRITER),
        "security.protocol": Option("TLS and SASL of Transport, TLS and SASLMechanism of Dialer", "none", _TRANSPORT),
        "sasl.mechanism": Option("Transport.SASL and Dialer.SASLMechanism", "none", _TRANSPORT),
        "sasl.jaas.config": Option("plain.Mechanism or scram.Mechanism with user name and password", "", "sasl/"),
        "ssl.truststore.location": Option("RootCAs of Transport.TLS and Dialer.TLS", "the host's", _TRANSPORT),
        "ssl.keystore.location": Option("Certificates of Transport.TLS and Dialer.TLS", "none", _TRANSPORT),
        "api_version": Instead("its versions are built in", "protocol/"),
        "re-authentication": Instead(
            "it cannot; close idle connections sooner (Transport.IdleTimeout), or raise connections.max.reauth.ms of "
            "the broker",
            "protocol/saslauthenticate/saslauthenticate.go",
        ),
    },
    (),
    {
        "acks-zero": Advice(
            "acks=0 is the default of kafka-go's Writer (RequireNone).",
            "Set {acks=all}, unless losing records is fine, as with some metrics.",
        ),
        "connection-churn": Advice(
            "A Writer, Reader or Conn is made for each message or request; DialLeader makes one for each partition.",
            "Make one Writer and one Transport when the program starts and share them: they are safe to share between "
            "goroutines. A zero Transport.IdleTimeout is 30 s.",
        ),
    },
)
