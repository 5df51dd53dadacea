"""Options of franz-go (kgo)."""

from kafkasniff.diagnose.options.library import Instead, Library, Option

_FILE = "pkg/kgo/config.go"

FRANZ_GO = Library(
    "franz-go",
    "1.21",
    "github.com/twmb/franz-go",
    {
        "client.id": Option("kgo.ClientID", "kgo", _FILE),
        "bootstrap.servers": Option("kgo.SeedBrokers", "127.0.0.1:9092", _FILE),
        "acks=all": Option("kgo.RequiredAcks(kgo.AllISRAcks())", "AllISRAcks", _FILE),
        "linger.ms": Option("kgo.ProducerLinger", "10 ms", _FILE),
        "batch.size": Option("kgo.ProducerBatchMaxBytes", "1000012", _FILE),
        "compression.type=lz4": Option("kgo.ProducerBatchCompression(kgo.Lz4Compression())", "snappy", _FILE),
        "max.request.size": Option("kgo.ProducerBatchMaxBytes", "1000012", _FILE),
        "delivery.timeout.ms": Option("kgo.RecordDeliveryTimeout", "unlimited", _FILE),
        "request.timeout.ms": Option("kgo.RequestTimeoutOverhead and kgo.ProduceRequestTimeout", "10 s each", _FILE),
        "retry.backoff.ms": Option("kgo.RetryBackoffFn", "250 ms to 5 s", _FILE),
        "reconnect.backoff.max.ms": Option("kgo.RetryBackoffFn", "250 ms to 5 s", _FILE),
        "metadata.max.age.ms": Option("kgo.MetadataMaxAge and kgo.MetadataMinAge", "5 min and 5 s", _FILE),
        "connections.max.idle.ms": Option("kgo.ConnIdleTimeout", "30 s", _FILE),
        "SO_KEEPALIVE": Option("kgo.Dialer with net.Dialer.KeepAlive", "15 s, Go's own", _FILE),
        "transactional.id": Option("kgo.TransactionalID", "", _FILE),
        "transaction.timeout.ms": Option("kgo.TransactionTimeout", "40 s", _FILE),
        "send() without get()": Option(
            "Client.Produce with a promise instead of ProduceSync", "", "pkg/kgo/producer.go"
        ),
        "onPartitionsRevoked()": Option("kgo.OnPartitionsRevoked", "", _FILE),
        "consumer.pause()": Option("Client.PauseFetchPartitions", "", "pkg/kgo/consumer.go"),
        "fetch.max.wait.ms": Option("kgo.FetchMaxWait", "5 s", _FILE),
        "fetch.min.bytes": Option("kgo.FetchMinBytes", "1", _FILE),
        "fetch.max.bytes": Option("kgo.FetchMaxBytes", "50 MiB", _FILE),
        "max.partition.fetch.bytes": Option("kgo.FetchMaxPartitionBytes", "1 MiB", _FILE),
        "max.poll.records": Option("Client.PollRecords(ctx, n) instead of PollFetches", "", "pkg/kgo/consumer.go"),
        "max.poll.interval.ms": Instead(
            "it heartbeats while the program works; with kgo.BlockRebalanceOnPoll a batch must end within "
            "kgo.RebalanceTimeout, default 60 s",
            _FILE,
        ),
        "session.timeout.ms": Option("kgo.SessionTimeout", "45 s", _FILE),
        "heartbeat.interval.ms": Option("kgo.HeartbeatInterval", "3 s", _FILE),
        "partition.assignment.strategy": Option("kgo.Balancers", "cooperative-sticky", _FILE),
        "cooperative-sticky": Option("kgo.Balancers(kgo.CooperativeStickyBalancer())", "that one", _FILE),
        "group.id": Option("kgo.ConsumerGroup", "", _FILE),
        "group.instance.id": Option("kgo.InstanceID", "", _FILE),
        "group.protocol": Instead("the classic protocol is used", "pkg/kgo/consumer_group_848.go"),
        "auto.offset.reset": Option("kgo.ConsumeResetOffset", "the start", _FILE),
        "auto.commit.interval.ms": Option("kgo.AutoCommitInterval", "5 s", _FILE),
        "client.rack": Option("kgo.Rack", "", _FILE),
        "allow.auto.create.topics": Option("kgo.AllowAutoTopicCreation", "off", _FILE),
        "security.protocol": Option("kgo.DialTLSConfig for TLS, kgo.SASL for a login", "neither", _FILE),
        "sasl.mechanism": Option("kgo.SASL", "", _FILE),
        "sasl.jaas.config": Option("the mechanism given to kgo.SASL, such as plain.Auth", "", "pkg/sasl"),
        "ssl.truststore.location": Option("RootCAs of the tls.Config for kgo.DialTLSConfig", "the host's", _FILE),
        "ssl.keystore.location": Option("Certificates of the tls.Config for kgo.DialTLSConfig", "none", _FILE),
        "api_version": Option("kgo.MaxVersions", "the newest", _FILE),
        "re-authentication": Instead("the library does it by itself", "pkg/kgo/broker.go"),
    },
    ("kgo",),
)
