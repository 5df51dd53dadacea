-- Single calls worth a look: those that took longest, or those that failed, with the packet by which `show` finds each.
SELECT
  time, client_id, client, server, api_name, api_version, correlation_id, outcome, total_time_ms,
  request_size_bytes, response_size_bytes, error_names,
  coalesce(request_file, response_file) AS file, coalesce(request_packet, response_packet) AS packet
FROM calls
