-- Who speaks to the brokers in clear or encrypted, with which version of TLS and which cipher suite, and logged in as
-- whom, by which SASL mechanism. `cleartext` tells who sends what it sends without TLS.
WITH named AS (
  SELECT vantage, connection, epoch, max(mechanism) AS mechanism FROM logins GROUP BY vantage, connection, epoch
)
SELECT
  calls.client_host, calls.client_id, calls.software_name, calls.software_version, calls.principal,
  calls.security_protocol, named.mechanism, connections.tls_version, connections.tls_cipher,
  calls.security_protocol NOT IN ('SSL', 'SASL_SSL') AS cleartext,
  count(DISTINCT calls.connection) AS connections, count(*) AS calls,
  coalesce(sum(request_size_bytes), 0) + coalesce(sum(response_size_bytes), 0) AS bytes
FROM calls
LEFT JOIN connections
  ON calls.vantage = connections.vantage AND calls.connection = connections.connection
  AND calls.epoch = connections.epoch
LEFT JOIN named
  ON calls.vantage = named.vantage AND calls.connection = named.connection AND calls.epoch = named.epoch
GROUP BY
  calls.client_host, calls.client_id, calls.software_name, calls.software_version, calls.principal,
  calls.security_protocol, named.mechanism, connections.tls_version, connections.tls_cipher
ORDER BY cleartext DESC, calls.client_host, calls.client_id, calls.security_protocol
