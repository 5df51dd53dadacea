-- The calls by which producers begin, extend and end transactions, by client and API.
SELECT
  client_id, client_host, server, api_name,
  count(*) AS calls,
  sum(CASE WHEN cardinality(error_names) > 0 THEN 1 ELSE 0 END) AS failed,
  percentile(total_time_ms, 0.5) AS p50_ms, max(total_time_ms) AS max_ms,
  min(time) AS time, max(time) AS last_time
FROM calls
WHERE api_name IN (
  'INIT_PRODUCER_ID', 'ADD_PARTITIONS_TO_TXN', 'ADD_OFFSETS_TO_TXN', 'TXN_OFFSET_COMMIT', 'END_TXN',
  'WRITE_TXN_MARKERS'
)
GROUP BY client_id, client_host, server, api_name
ORDER BY client_id, client_host, api_name
