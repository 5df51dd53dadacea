-- How many calls there are in each bin of time, how many failed or were not answered, and how large they are, by keys.
-- The same as `stats`, without the times that calls took.
SELECT
  {keys},
  count(*) AS calls,
  sum(CASE WHEN cardinality(error_names) > 0 THEN 1 ELSE 0 END) AS failed,
  sum(CASE WHEN outcome = 'unanswered' THEN 1 ELSE 0 END) AS unanswered,
  coalesce(sum(request_size_bytes), 0) AS request_bytes,
  coalesce(sum(response_size_bytes), 0) AS response_bytes
FROM {calls}
GROUP BY {keys}
