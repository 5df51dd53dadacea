-- Which client uses which versions of which API, and which of them brokers of the target release no longer take
-- (KIP-896 removed old versions in Kafka 4.0): `refused`. Of a version that they do not take yet, `steps_down` is true: a
-- client sends it where ApiVersions offers it, and a lower one to these brokers. The table `target` has the versions that
-- the release takes, and of an API that came later only a highest version of -1; `libraries` has from which version on a
-- client library is known to fit. `fits_from` is that of the client's software; where it tells none, of the
-- library whose default client id it has.
WITH counted AS (
  SELECT
    client_host, client_id, software_name, software_version, principal, api_key, api_name, api_version,
    count(*) AS calls
  FROM calls
  WHERE api_key IS NOT NULL
  GROUP BY client_host, client_id, software_name, software_version, principal, api_key, api_name, api_version
),
used AS (
  SELECT
    client_host, client_id, software_name, software_version, principal, api_name, api_version, calls,
    coalesce(api_version < target.lowest, target.target_key IS NULL) AS refused,
    coalesce(api_version > target.highest, false) AS steps_down,
    target.lowest AS minimum
  FROM counted
  LEFT JOIN target ON counted.api_key = target.target_key
)
SELECT used.*, libraries.fits_from
FROM used
LEFT JOIN libraries
  ON used.software_name = libraries.software_name
  OR (used.software_name IS NULL AND used.client_id LIKE libraries.client_ids)
ORDER BY refused DESC, steps_down DESC, client_host, client_id, api_name, api_version
