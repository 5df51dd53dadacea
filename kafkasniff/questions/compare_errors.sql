-- Which errors came more or less often in the second capture, by API and client id.
WITH counted AS (
  SELECT 'before' AS side, api_name, client_id, explode_outer(error_names) AS error FROM calls_before
  UNION ALL
  SELECT 'after' AS side, api_name, client_id, explode_outer(error_names) AS error FROM calls_after
)
SELECT
  error, api_name, client_id,
  sum(CASE WHEN side = 'before' THEN 1 ELSE 0 END) AS calls_before,
  sum(CASE WHEN side = 'after' THEN 1 ELSE 0 END) AS calls_after
FROM counted
WHERE error IS NOT NULL
GROUP BY error, api_name, client_id
HAVING sum(CASE WHEN side = 'before' THEN 1 ELSE -1 END) <> 0
ORDER BY error, api_name, client_id
