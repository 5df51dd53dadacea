-- How connections began and ended, by protocol and TLS, with what they lacked and repeated.
SELECT
  protocol, tls_version, tls_decrypted, began, ended, ended_by,
  count(*) AS connections, sum(calls) AS calls,
  sum(client_retransmissions + server_retransmissions) AS retransmissions,
  sum(client_gaps + server_gaps) AS gaps, sum(client_gap_bytes + server_gap_bytes) AS gap_bytes,
  max(round_trip_ms) AS round_trip_ms
FROM connections
GROUP BY protocol, tls_version, tls_decrypted, began, ended, ended_by
ORDER BY connections DESC, protocol, ended
