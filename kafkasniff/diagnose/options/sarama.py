"""Options of sarama."""

from kafkasniff.diagnose.options.library import Advice, Instead, Library, Option

_FILE = "config.go"

SARAMA = Library(
    "sarama",
    "1.60.1",
    "github.com/IBM/sarama",
    {
        "client.id": Option("ClientID", "sarama", _FILE),
        "bootstrap.servers": Option("addrs of NewClient and its like", "", "client.go"),
        "acks=all": Option("Producer.RequiredAcks = WaitForAll", "WaitForLocal", _FILE),
        "linger.ms": Option("Producer.Flush.Frequency", "0", _FILE),
        "batch.size": Option("Producer.Flush.Bytes and Producer.Flush.Messages", "0", _FILE),
        "compression.type=lz4": Option("Producer.Compression = CompressionLZ4", "CompressionNone", _FILE),
        "max.request.size": Option("Producer.MaxMessageBytes", "1048576", _FILE),
        "delivery.timeout.ms": Option("Producer.Retry.Max times Producer.Retry.Backoff", "3 times 100 ms", _FILE),
        "request.timeout.ms": Option("Net.ReadTimeout, and Producer.Timeout", "30 s, 10 s", _FILE),
        "retry.backoff.ms": Option("Producer.Retry.Backoff and Metadata.Retry.Backoff", "100 ms and 250 ms", _FILE),
        "reconnect.backoff.max.ms": Option("Metadata.Retry.BackoffFunc", "250 ms each time", _FILE),
        "metadata.max.age.ms": Option("Metadata.RefreshFrequency", "10 min", _FILE),
        "connections.max.idle.ms": Instead("connections stay open; raise connections.max.idle.ms of the broker", _FILE),
        "SO_KEEPALIVE": Option("Net.KeepAlive", "0: Go's own, 15 s", _FILE),
        "transactional.id": Option("Producer.Transaction.ID", "", _FILE),
        "transaction.timeout.ms": Option("Producer.Transaction.Timeout", "1 min", _FILE),
        "send() without get()": Option(
            "AsyncProducer, or SyncProducer.SendMessages with many", "", "async_producer.go"
        ),
        "onPartitionsRevoked()": Option("ConsumerGroupHandler.Cleanup", "", "consumer_group.go"),
        "consumer.pause()": Option("ConsumerGroup.Pause(partitions)", "", "consumer_group.go"),
        "fetch.max.wait.ms": Option("Consumer.MaxWaitTime", "500 ms", _FILE),
        "fetch.min.bytes": Option("Consumer.Fetch.Min", "1", _FILE),
        "fetch.max.bytes": Option("Consumer.Fetch.MaxBytes", "50 MiB", _FILE),
        "max.partition.fetch.bytes": Option("Consumer.Fetch.Default", "1 MiB", _FILE),
        "max.poll.records": Instead("messages come one by one; lower ChannelBufferSize, default 256", _FILE),
        "max.poll.interval.ms": Instead(
            "it heartbeats while the program works; ConsumeClaim must return within Consumer.Group.Rebalance.Timeout, "
            "default 60 s, once its session's context is done",
            _FILE,
        ),
        "session.timeout.ms": Option("Consumer.Group.Session.Timeout", "10 s", _FILE),
        "heartbeat.interval.ms": Option("Consumer.Group.Heartbeat.Interval", "3 s", _FILE),
        "partition.assignment.strategy": Option("Consumer.Group.Rebalance.GroupStrategies", "range", _FILE),
        "cooperative-sticky": Option(
            "GroupStrategies with NewBalanceStrategyCooperativeSticky()", "", "balance_strategy_cooperative_sticky.go"
        ),
        "group.id": Option("groupID of NewConsumerGroup", "", "consumer_group.go"),
        "group.instance.id": Option("Consumer.Group.InstanceId", "", _FILE),
        "group.protocol": Instead("it speaks the classic protocol only", "consumer_group.go"),
        "auto.offset.reset": Option(
            "Consumer.Offsets.Initial with Consumer.Group.ResetInvalidOffsets", "OffsetNewest and true", _FILE
        ),
        "auto.commit.interval.ms": Option("Consumer.Offsets.AutoCommit.Interval", "1 s", _FILE),
        "client.rack": Option("RackID", "", _FILE),
        "allow.auto.create.topics": Option("Metadata.AllowAutoTopicCreation", "true", _FILE),
        "security.protocol": Option("Net.TLS.Enable for TLS, Net.SASL.Enable for a login", "false", _FILE),
        "sasl.mechanism": Option("Net.SASL.Mechanism", "PLAIN", _FILE),
        "sasl.jaas.config": Option("Net.SASL.User and Net.SASL.Password", "", _FILE),
        "ssl.truststore.location": Option("RootCAs of Net.TLS.Config", "the host's", _FILE),
        "ssl.keystore.location": Option("Certificates of Net.TLS.Config", "none", _FILE),
        "api_version": Option("Version", "2.8", _FILE),
        "re-authentication": Instead("the library does it by itself with Net.SASL.Version 1, the default", "broker.go"),
    },
    ("sarama",),
    {
        "acks-one": Advice("acks=1 is sarama's default (WaitForLocal).", "Set {acks=all}, with min.insync.replicas=2."),
        "metadata-storm": Advice(
            "Metadata.RefreshFrequency is tiny, or a retry loop without back-off; with Metadata.Full each request asks "
            "for all topics.",
            "Set Metadata.RefreshFrequency back to 10 minutes, Metadata.Retry.Backoff to 250 ms and Metadata.Full to "
            "false; keep one client instead of many.",
        ),
    },
)
