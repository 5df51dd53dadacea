"""What calls tell that rules need of each other's calls.

- `facts.Facts` is what the engine and all rules share: brokers, racks, versions that brokers offer, names of topic ids,
  groups of clients.
- `answers.MetadataAnswer` is what a Metadata answer tells, once for all that are equal.
- `history.ConnectionHistory` is what is known of one open connection: whose it is, and what happened on it so far.
- `clients.Client` tells programs apart: by client id and host, or by connection where there is no client id.
- `profiles.Profiles` gathers who each client is: addresses, principals, software, and so its library.
- `sides` tells which side of a connection is the client's, and whether the server took it.
- `whole_bodies` gives bodies as dicts to who looks at few calls.
"""
