-- Which client uses which versions of which API, and which of them brokers of the target release refuse (KIP-896
-- removed old versions in Kafka 4.0). The table `target` has the versions that the release takes, `libraries` from which
-- version on a client library is known to fit. `fits_from` is that of the client's software; where it tells none, of the
-- library whose default client id it has.
WITH used AS (
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
)
SELECT used.*, libraries.fits_from
FROM used
LEFT JOIN libraries
  ON used.software_name = libraries.software_name
  OR (used.software_name IS NULL AND used.client_id LIKE libraries.client_ids)
ORDER BY refused DESC, client_host, client_id, api_name, api_version
