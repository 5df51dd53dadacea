"""What commands share that print calls, findings and answers.

- `reading`: prints what a reading gives in the form asked for, and at the end what the capture was worth.
- `chosen`: picks single calls by number, packet or correlation id, with those around them.
- `findings`: prints findings, and tells whether they fail the command. `live_findings`: the same while interfaces
  are listened to.
- `answers`: runs a question over the tables and prints its answer.
"""
