"""Captures from network interfaces.

How it works:

- `live.LiveCapture` gives what came on all its interfaces since the last time as batches, in the order of time.
- `opening` opens an interface: on Linux a packet socket (packet(7)), elsewhere libpcap through scapy; both with the
  filter that libpcap compiles. Its errors say what to do.
- `ring` reads the memory that the kernel shares with a packet socket (TPACKET_V3), block by block; `receive` reads
  packets one by one where there is no such memory.
- Only opening the sockets takes privileges. `privileges` drops them before the first packet is looked at: user, groups,
  capabilities, and the right to gain any (no_new_privs).
"""
