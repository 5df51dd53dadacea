-- Which clients are in one capture only, by client id, software, its version, principal and protocol.
WITH counted AS (
  SELECT 'before' AS side, client_id, software_name, software_version, principal, security_protocol FROM calls_before
  UNION ALL
  SELECT 'after' AS side, client_id, software_name, software_version, principal, security_protocol FROM calls_after
)
SELECT
  client_id, software_name, software_version, principal, security_protocol,
  sum(CASE WHEN side = 'before' THEN 1 ELSE 0 END) AS calls_before,
  sum(CASE WHEN side = 'after' THEN 1 ELSE 0 END) AS calls_after
FROM counted
GROUP BY client_id, software_name, software_version, principal, security_protocol
HAVING count(DISTINCT side) = 1
ORDER BY client_id, software_name, software_version
