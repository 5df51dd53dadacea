"""Scrubbing: a capture that may be given away, with the same calls but for names.

How it works:

- Nothing of a payload is kept that was not understood. A new packet begins with `contents.FILLER` alone; what is known
  to hold no name is copied, names are replaced by others of equal length, contents are blanked.
- `names.Names` gives the other names, by a key: the same key gives the same names, in whichever capture.
- `messages` goes through a message field by field, `batches` through its record batches: keys, values and headers are
  blanked, checksums made right where they were. `contents` fills them, so that a batch compresses to as many bytes.
- `beginnings` puts together the first bytes of TLS connections, in which `handshakes` replaces names.
- `notes.Notes` has by which packet each message begins. A first reading fills it.
- `places.Places` knows where in which connection's sequence numbers the new messages lie. A second reading fills it.
- `packets` writes each packet anew with it, with other addresses and right checksums. What it does not know (other
  protocols than TCP, encrypted bytes, what no call has) is blanked and counted.
"""
