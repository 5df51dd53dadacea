-- TLS as seen on the wire, decrypted or not: versions, cipher suites and certificates, by client address and server.
-- Certificates show where they are not encrypted themselves, as in TLS 1.2, or where they were decrypted. Days are those
-- left when the last of the connections ended; `expiring` is where they are fewer than 30, `outdated` what is older than
-- TLS 1.2 (RFC 8996).
WITH shown AS (
  SELECT
    regexp_replace(client, ':[0-9]+$', '') AS client_host, server, tls_version, tls_cipher, tls_server_name, tls_failure,
    tls_server_subject, tls_server_expires, tls_client_subject, tls_client_expires, last_time
  FROM connections
  WHERE tls_decrypted IS NOT NULL
)
SELECT
  client_host, server, tls_version, tls_cipher, tls_server_name, tls_server_subject, tls_server_expires,
  tls_client_subject, tls_client_expires, count(*) AS connections,
  min(days_between(last_time, tls_server_expires)) AS server_days_left,
  min(days_between(last_time, tls_client_expires)) AS client_days_left,
  coalesce(
    min(days_between(last_time, tls_server_expires)) < 30 OR min(days_between(last_time, tls_client_expires)) < 30, false
  ) AS expiring,
  coalesce(tls_version IN ('SSL 3.0', 'TLS 1.0', 'TLS 1.1'), false) AS outdated
FROM shown
GROUP BY
  client_host, server, tls_version, tls_cipher, tls_server_name, tls_server_subject, tls_server_expires,
  tls_client_subject, tls_client_expires
ORDER BY expiring DESC, outdated DESC, client_host, server, tls_version, tls_cipher
