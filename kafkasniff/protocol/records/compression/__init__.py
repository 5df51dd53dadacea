"""The compression of record batches: `codecs.decompress` takes each of Kafka's, with a limit to what comes out."""
