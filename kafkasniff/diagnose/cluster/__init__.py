"""Rules about the cluster: metadata and topics, versions, quotas, brokers."""
