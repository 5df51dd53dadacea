-- Which settings differ between two captures, as requests show them, by client id and API.
WITH shown AS (
  SELECT 'before' AS side, client_id, api_name, 'acks' AS setting, CAST(acks AS STRING) AS value FROM calls_before WHERE acks IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'timeout_ms' AS setting, CAST(timeout_ms AS STRING) AS value FROM calls_before WHERE timeout_ms IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'max_wait_ms' AS setting, CAST(max_wait_ms AS STRING) AS value FROM calls_before WHERE max_wait_ms IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'min_bytes' AS setting, CAST(min_bytes AS STRING) AS value FROM calls_before WHERE min_bytes IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'max_bytes' AS setting, CAST(max_bytes AS STRING) AS value FROM calls_before WHERE max_bytes IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'isolation_level' AS setting, CAST(isolation_level AS STRING) AS value FROM calls_before WHERE isolation_level IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'session_timeout_ms' AS setting, CAST(session_timeout_ms AS STRING) AS value FROM calls_before WHERE session_timeout_ms IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'rebalance_timeout_ms' AS setting, CAST(rebalance_timeout_ms AS STRING) AS value FROM calls_before WHERE rebalance_timeout_ms IS NOT NULL
  UNION ALL
  SELECT 'before' AS side, client_id, api_name, 'rack_id' AS setting, CAST(rack_id AS STRING) AS value FROM calls_before WHERE rack_id IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'acks' AS setting, CAST(acks AS STRING) AS value FROM calls_after WHERE acks IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'timeout_ms' AS setting, CAST(timeout_ms AS STRING) AS value FROM calls_after WHERE timeout_ms IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'max_wait_ms' AS setting, CAST(max_wait_ms AS STRING) AS value FROM calls_after WHERE max_wait_ms IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'min_bytes' AS setting, CAST(min_bytes AS STRING) AS value FROM calls_after WHERE min_bytes IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'max_bytes' AS setting, CAST(max_bytes AS STRING) AS value FROM calls_after WHERE max_bytes IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'isolation_level' AS setting, CAST(isolation_level AS STRING) AS value FROM calls_after WHERE isolation_level IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'session_timeout_ms' AS setting, CAST(session_timeout_ms AS STRING) AS value FROM calls_after WHERE session_timeout_ms IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'rebalance_timeout_ms' AS setting, CAST(rebalance_timeout_ms AS STRING) AS value FROM calls_after WHERE rebalance_timeout_ms IS NOT NULL
  UNION ALL
  SELECT 'after' AS side, client_id, api_name, 'rack_id' AS setting, CAST(rack_id AS STRING) AS value FROM calls_after WHERE rack_id IS NOT NULL
)
SELECT
  client_id, api_name, setting,
  array_sort(collect_set(CASE WHEN side = 'before' THEN value END)) AS values_before,
  array_sort(collect_set(CASE WHEN side = 'after' THEN value END)) AS values_after
FROM shown
GROUP BY client_id, api_name, setting
HAVING count(DISTINCT side) = 2
  AND array_sort(collect_set(CASE WHEN side = 'before' THEN value END))
    <> array_sort(collect_set(CASE WHEN side = 'after' THEN value END))
ORDER BY client_id, api_name, setting
