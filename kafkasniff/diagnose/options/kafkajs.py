"""Options of kafkajs."""

from kafkasniff.diagnose.options.library import Advice, Instead, Library, Option

_CLIENT, _PRODUCER, _CONSUMER = "docs/Configuration.md", "docs/Producing.md", "docs/Consuming.md"

KAFKAJS = Library(
    "kafkajs",
    "2.2.4",
    "github.com/tulios/kafkajs",
    {
        "client.id": Option("clientId", "kafkajs", _CLIENT),
        "bootstrap.servers": Option("brokers", "", _CLIENT),
        "acks=all": Option("acks: -1 in send()", "-1", _PRODUCER),
        "linger.ms": Instead("each send() is a request; give it many messages, or use sendBatch()", _PRODUCER),
        "batch.size": Instead("each send() is a request; give it fewer messages", _PRODUCER),
        "compression.type=lz4": Option(
            "compression: CompressionTypes.GZIP in send(); LZ4 with kafkajs-lz4", "None", _PRODUCER
        ),
        "max.request.size": Instead("a send() may have any size", _PRODUCER),
        "delivery.timeout.ms": Option("retry.retries with retry.maxRetryTime", "5 times, 30000", _CLIENT),
        "request.timeout.ms": Option("requestTimeout", "30000", _CLIENT),
        "retry.backoff.ms": Option("retry.initialRetryTime", "300", _CLIENT),
        "reconnect.backoff.max.ms": Option("retry.maxRetryTime", "30000", _CLIENT),
        "metadata.max.age.ms": Option("metadataMaxAge", "300000", _CONSUMER),
        "connections.max.idle.ms": Instead(
            "connections stay open; raise connections.max.idle.ms of the broker", _CLIENT
        ),
        "SO_KEEPALIVE": Option("socketFactory", "setKeepAlive after 60 s", "src/network/socketFactory.js"),
        "transactional.id": Option("transactionalId", "", "docs/Transactions.md"),
        "transaction.timeout.ms": Option("transactionTimeout", "60000", _PRODUCER),
        "send() without get()": Option(
            "one send() with many messages, or several without await between them", "", _PRODUCER
        ),
        "onPartitionsRevoked()": Option("the event consumer.events.REBALANCING", "", "docs/InstrumentationEvents.md"),
        "consumer.pause()": Option("consumer.pause(topics), or pause() in eachMessage", "", _CONSUMER),
        "fetch.max.wait.ms": Option("maxWaitTimeInMs", "5000", _CONSUMER),
        "fetch.min.bytes": Option("minBytes", "1", _CONSUMER),
        "fetch.max.bytes": Option("maxBytes", "10485760", _CONSUMER),
        "max.partition.fetch.bytes": Option("maxBytesPerPartition", "1048576", _CONSUMER),
        "max.poll.records": Option(
            "a lower maxBytesPerPartition, as batches are counted in bytes", "1048576", _CONSUMER
        ),
        "max.poll.interval.ms": Instead(
            "it heartbeats between messages only, so sessionTimeout, default 30000, is the bound; call heartbeat() in "
            "eachMessage",
            _CONSUMER,
        ),
        "session.timeout.ms": Option("sessionTimeout", "30000", _CONSUMER),
        "heartbeat.interval.ms": Option("heartbeatInterval", "3000", _CONSUMER),
        "partition.assignment.strategy": Option("partitionAssigners", "PartitionAssigners.roundRobin", _CONSUMER),
        "cooperative-sticky": Instead("it has eager assignors only", "src/consumer/assigners"),
        "group.id": Option("groupId", "", _CONSUMER),
        "group.instance.id": Instead("it has no static membership", "src/consumer/consumerGroup.js"),
        "group.protocol": Instead("it speaks the classic protocol only", "src/consumer/consumerGroup.js"),
        "auto.offset.reset": Option("fromBeginning in subscribe()", "false", _CONSUMER),
        "auto.commit.interval.ms": Option(
            "autoCommitInterval and autoCommitThreshold in run()", "null: after each batch", _CONSUMER
        ),
        "client.rack": Option("rackId", "", _CONSUMER),
        "allow.auto.create.topics": Option("allowAutoTopicCreation", "true", _CONSUMER),
        "security.protocol": Option("ssl for TLS, sasl for a login", "neither", _CLIENT),
        "sasl.mechanism": Option("sasl.mechanism", "", _CLIENT),
        "sasl.jaas.config": Option("sasl.username and sasl.password", "", _CLIENT),
        "ssl.truststore.location": Option("ssl.ca", "Node's", _CLIENT),
        "ssl.keystore.location": Option("ssl.cert and ssl.key", "none", _CLIENT),
        "api_version": Instead("its versions are built in, and end with those of Kafka 2.x", "src/protocol/requests"),
        "re-authentication": Option("reauthenticationThreshold", "10000", _CLIENT),
    },
    (),
    {
        "session-timeout": Advice(
            "kafkajs sends heartbeats between messages only: eachMessage (or eachBatch) took longer than "
            "sessionTimeout. Otherwise the process stood still.",
            "Call heartbeat() within eachMessage and eachBatch while they work; raise {session.timeout.ms}; give more "
            "partitions their turn at once (partitionsConsumedConcurrently, default 1).",
        ),
        "unreadable-compression": Advice(
            "The program has not added the codec to kafkajs, which has gzip alone built in.",
            "Add it before the consumer runs: CompressionCodecs[CompressionTypes.Snappy] = SnappyCodec of "
            "kafkajs-snappy; likewise kafkajs-lz4, and a package for zstd. Or let producers use gzip.",
        ),
        "tiny-batches": Advice(
            "Each send() of kafkajs is a request of its own; it does not wait to fill batches.",
            "Gather messages in the program, and give send() or sendBatch() many at once.",
        ),
    },
)
