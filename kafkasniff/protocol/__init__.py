"""The Kafka protocol: from bytes to messages, for every API in every version."""
