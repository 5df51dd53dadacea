-- Which client uses which versions of which API, and which of them brokers of the target release refuse (KIP-896
-- removed old versions in Kafka 4.0). The table `target` has the versions that the release takes.
SELECT
  client_host, client_id, software_name, software_version, principal, api_name, api_version,
  count(*) AS calls,
  target.lowest IS NULL OR api_version < target.lowest OR api_version > target.highest AS refused,
  target.lowest AS minimum
FROM calls
LEFT JOIN target ON calls.api_key = target.target_key
WHERE api_key IS NOT NULL
GROUP BY
  client_host, client_id, software_name, software_version, principal, api_name, api_version, target.lowest,
  target.highest
ORDER BY refused DESC, client_host, client_id, api_name, api_version
