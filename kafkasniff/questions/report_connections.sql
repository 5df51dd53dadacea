-- Connections, those with gaps, retransmissions and resets first.
SELECT
  client, server, protocol, time, last_time, calls,
  client_packets + server_packets AS packets, client_bytes, server_bytes,
  client_retransmissions + server_retransmissions AS retransmissions,
  client_gaps + server_gaps AS gaps, client_gap_bytes + server_gap_bytes AS gap_bytes,
  client_cut_packets + server_cut_packets AS cut_packets, round_trip_ms, began, ended, ended_by,
  tls_version, tls_cipher, tls_server_name, tls_decrypted, tls_failure, connection
FROM connections
ORDER BY gaps DESC, retransmissions DESC, ended = 'rst' DESC, calls DESC, time
