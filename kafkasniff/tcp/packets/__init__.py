"""From a captured packet to the TCP segment within.

How it works:

- `link` finds the IP header behind the header of the link layer, which the LINKTYPE number tells: Ethernet, Linux
  cooked capture, loopback, raw IP and others, with VLAN tags, MPLS and PPP. `ip` reads IPv4 and IPv6 headers with their
  extensions. `tunnels` looks inside IP-in-IP, GRE, ERSPAN, VXLAN, GENEVE, GTP-U, L2TP and Teredo. `headers` reads
  fields against the end of the packet.
- `fragments` joins IP fragments (RFC 791, RFC 8200) within a bound of bytes and of time.
- `segments.SegmentReader` puts these together. It gives a `Segment`: addresses and ports as bytes of one key, sequence
  and acknowledgement numbers, flags, payload and its length on the wire, which may be more than was captured.

The usual packet, Ethernet or cooked capture with IPv4 and without options or fragments, does not come here:
`tcp/reassembler.py` reads it in the compiled loop. Everything else does, packet by packet.
"""
