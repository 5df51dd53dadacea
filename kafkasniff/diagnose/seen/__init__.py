"""What rules see of a call.

- `seen_call.SeenCall` is given to each rule. It has names and numbers of the bodies as attributes of C types. All other
  fields that rules name stand in `request` and `response`; these are read when the first rule asks.
- `bodies.BodiesReader` reads each call once, and fills the attributes in: it is a sink of the reader of bodies, and
  knows by the role of a field which attribute it is for.
- `produced` reads the headers of the record batches in a Produce request.

A body that does not decode well has no fields: a rule keeps still on what is damaged.
"""
