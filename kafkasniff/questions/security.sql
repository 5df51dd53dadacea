-- Who speaks to the brokers in clear or encrypted, with which version of TLS and which cipher suite, and logged in as
-- whom, by which SASL mechanism. `cleartext` tells who sends what it sends without TLS. The calls before the login of a
-- connection count as those of who logs in on it.
WITH named AS (
  SELECT vantage, connection, epoch, max(mechanism) AS mechanism FROM logins GROUP BY vantage, connection, epoch
), told AS (
  SELECT
    vantage, connection, epoch, client_host, client_id, software_name, software_version,
    coalesce(principal, max(principal) OVER (PARTITION BY vantage, connection, epoch)) AS principal,
    coalesce(
      max(CASE WHEN security_protocol LIKE 'SASL%' THEN security_protocol END)
        OVER (PARTITION BY vantage, connection, epoch),
      security_protocol
    ) AS security_protocol,
    request_size_bytes, response_size_bytes
  FROM calls
)
SELECT
  told.client_host, told.client_id, told.software_name, told.software_version, told.principal,
  told.security_protocol, named.mechanism, connections.tls_version, connections.tls_cipher,
  told.security_protocol NOT IN ('SSL', 'SASL_SSL') AS cleartext,
  count(DISTINCT told.connection) AS connections, count(*) AS calls,
  coalesce(sum(request_size_bytes), 0) + coalesce(sum(response_size_bytes), 0) AS bytes
FROM told
LEFT JOIN connections
  ON told.vantage = connections.vantage AND told.connection = connections.connection
  AND told.epoch = connections.epoch
LEFT JOIN named
  ON told.vantage = named.vantage AND told.connection = named.connection AND told.epoch = named.epoch
GROUP BY
  told.client_host, told.client_id, told.software_name, told.software_version, told.principal,
  told.security_protocol, named.mechanism, connections.tls_version, connections.tls_cipher
ORDER BY cleartext DESC, told.client_host, told.client_id, told.security_protocol
