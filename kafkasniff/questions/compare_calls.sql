-- What differs between two captures in calls by API and version: how many, how many failed, and how long they took.
SELECT
  coalesce(a.api_name, b.api_name) AS api_name, coalesce(a.api_version, b.api_version) AS api_version,
  coalesce(a.calls, 0) AS calls_before, coalesce(b.calls, 0) AS calls_after,
  coalesce(a.failed, 0) AS failed_before, coalesce(b.failed, 0) AS failed_after,
  a.p50_ms AS p50_ms_before, b.p50_ms AS p50_ms_after, a.p99_ms AS p99_ms_before, b.p99_ms AS p99_ms_after
FROM (SELECT * FROM stats_before) AS a
FULL OUTER JOIN (SELECT * FROM stats_after) AS b
  ON a.api_name IS NOT DISTINCT FROM b.api_name AND a.api_version IS NOT DISTINCT FROM b.api_version
ORDER BY api_name, api_version
