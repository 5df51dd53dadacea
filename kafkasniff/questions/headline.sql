-- What a capture holds in a line: span, calls, who takes part, and what went wrong.
SELECT
  count(*) AS calls,
  (max(time_ns) - min(time_ns)) / 1e9 AS seconds,
  count(*) / nullif((max(time_ns) - min(time_ns)) / 1e9, 0) AS calls_per_s,
  (SELECT count(*) FROM (SELECT DISTINCT client_host, client_id FROM calls)) AS clients,
  count(DISTINCT server) AS brokers,
  (SELECT count(DISTINCT topic) FROM (SELECT explode_outer(topics) AS topic FROM calls)) AS topics,
  sum(CASE WHEN cardinality(error_names) > 0 THEN 1 ELSE 0 END) AS failed,
  sum(CASE WHEN outcome = 'unanswered' THEN 1 ELSE 0 END) AS unanswered,
  sum(CASE WHEN outcome IN ('response-not-captured', 'request-not-captured') THEN 1 ELSE 0 END) AS half_captured,
  sum(CASE WHEN throttle_time_ms > 0 THEN 1 ELSE 0 END) AS throttled
FROM calls
