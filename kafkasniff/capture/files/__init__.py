"""Captures in files and pipes: pcap and pcapng, compressed or not, as batches of packets.

How it works:

- `merge` gives the packets of several captures in the order of time, those of one file in the order of the file.
- `reader.CaptureReader` reads one capture. It tells the format by the first bytes, never by the name, reads 1 MB at a
  time, and gives each chunk's whole packets as a `PacketBatch`: columns of offsets, lengths and times over one buffer,
  so that no object is made for a packet. What is left of the last packet is read again with the next chunk.
- `records` walks over the record headers of pcap, `pcapng` over blocks; both stop at the first header that cannot be
  one and say why (`Walk.damage`). All packets before it were given.
- `source` reads a file, a pipe or standard input; a file may be parked (closed between two reads), as thousands of
  them stand open when they are merged. `compression` decompresses gzip, zstd, lz4, bzip2 and xz; `windows` holds the
  memory that all decompressors take against one budget.
- `object_store` reads what lies in an object store, named by a URI.
- `regular_file` opens files that are read whole, and refuses pipes and devices; `key_log_file` follows a key log that
  grows.

Names, comments and options of pcapng are cut and bounded in sum, lengths are believed up to 128 MB.
"""
