-- How long answered calls took, in steps of about a tenth, by bin of time and keys: step n holds times from exp(n / 10)
-- to exp((n + 1) / 10) ms.
SELECT
  {keys},
  CAST(floor(ln(CASE WHEN total_time_ms > 0.0001 THEN total_time_ms ELSE 0.0001 END) * 10) AS INT) AS step,
  count(*) AS calls
FROM {calls}
WHERE outcome = 'answered' AND total_time_ms IS NOT NULL
GROUP BY {keys}, step
