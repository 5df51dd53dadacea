-- How many calls there are, how many failed or were not answered, how large they are and how long they took, by keys.
-- A call that names several topics, groups or errors counts for each. Times are those of answered calls, in ms from the
-- request's first byte to the response's last; percentiles are exact, linear between ranks.
-- `throttled` are calls whose answer has a throttle time above 0.
SELECT
  {keys}, calls, failed, unanswered, request_bytes, response_bytes,
  element_at(times, 1) AS p50_ms, element_at(times, 2) AS p90_ms, element_at(times, 3) AS p99_ms,
  max_ms, throttled, max_throttle_ms
FROM (
  SELECT
    {keys},
    count(*) AS calls,
    sum(CASE WHEN cardinality(error_names) > 0 THEN 1 ELSE 0 END) AS failed,
    sum(CASE WHEN outcome = 'unanswered' THEN 1 ELSE 0 END) AS unanswered,
    coalesce(sum(request_size_bytes), 0) AS request_bytes,
    coalesce(sum(response_size_bytes), 0) AS response_bytes,
    percentile(CASE WHEN outcome = 'answered' THEN total_time_ms END, "array"(0.5, 0.9, 0.99)) AS times,
    max(CASE WHEN outcome = 'answered' THEN total_time_ms END) AS max_ms,
    sum(CASE WHEN throttle_time_ms > 0 THEN 1 ELSE 0 END) AS throttled,
    max(throttle_time_ms) AS max_throttle_ms
  FROM {calls}
  GROUP BY {keys}
) AS grouped
