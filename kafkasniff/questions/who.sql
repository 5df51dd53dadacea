-- Who produces to, consumes from and commits offsets of which topic. Bytes and records are those of the record batches
-- in Produce requests and Fetch responses; a producer or consumer has the group that its address and client id name, if
-- they name one alone. `acks` and `isolation_levels` are those of its requests, `codecs` those of the batches; bytes per
-- second are over the whole span of the calls. `lag` is that of the last Fetch by this client id
-- that names each partition, summed: the offsets between the end of what it was given and the high watermark.
WITH uses AS (
  SELECT
    vantage, connection, epoch, api_name, client_host, client_id, principal, software_name, software_version,
    array_min(groups) AS group_name, topics, acks, isolation_level, count(*) AS calls
  FROM calls
  WHERE api_name IN ('PRODUCE', 'FETCH', 'SHARE_FETCH', 'OFFSET_COMMIT', 'TXN_OFFSET_COMMIT')
  GROUP BY
    vantage, connection, epoch, api_name, client_host, client_id, principal, software_name, software_version,
    array_min(groups), topics, acks, isolation_level
),
-- Mostly all calls of an API on a connection have the same caller: batches, of which there are many, are then added up
-- before it is looked for.
callers AS (
  SELECT
    vantage, connection, epoch, api_name, client_host, client_id, principal, software_name, software_version, group_name,
    count(*) OVER (PARTITION BY vantage, connection, epoch, api_name) AS callers
  FROM (
    SELECT DISTINCT
      vantage, connection, epoch, api_name, client_host, client_id, principal, software_name, software_version,
      group_name
    FROM uses
  ) AS found
),
carried AS (
  SELECT
    vantage, connection, epoch, api_name, topic, compression, sum(size_in_bytes) AS bytes, sum(record_count) AS records
  FROM batches
  WHERE topic IS NOT NULL
  GROUP BY vantage, connection, epoch, api_name, topic, compression
),
counted AS (
  SELECT
    topic, api_name, client_host, client_id, principal, software_name, software_version, group_name, acks,
    isolation_level, NULL AS codec, calls, 0 AS bytes, 0 AS records
  FROM (SELECT *, explode_outer(topics) AS topic FROM uses) AS named_topics
  WHERE topic IS NOT NULL
  UNION ALL
  SELECT
    carried.topic, callers.api_name, callers.client_host, callers.client_id, callers.principal, callers.software_name,
    callers.software_version, callers.group_name, NULL AS acks, NULL AS isolation_level, carried.compression AS codec,
    0 AS calls, carried.bytes, carried.records
  FROM carried
  JOIN callers
    ON callers.vantage = carried.vantage AND callers.connection = carried.connection
    AND callers.epoch = carried.epoch AND callers.api_name = carried.api_name
  WHERE callers.callers = 1
  UNION ALL
  SELECT
    batches.topic, calls.api_name, calls.client_host, calls.client_id, calls.principal, calls.software_name,
    calls.software_version, array_min(calls.groups) AS group_name, NULL AS acks, NULL AS isolation_level,
    batches.compression AS codec, 0 AS calls, batches.size_in_bytes AS bytes, batches.record_count AS records
  FROM batches
  JOIN calls
    ON calls.vantage = batches.vantage AND calls.connection = batches.connection AND calls.epoch = batches.epoch
    AND calls.direction = batches.direction AND calls.stream_offset = batches.stream_offset
  JOIN (SELECT DISTINCT vantage, connection, epoch, api_name FROM callers WHERE callers > 1) AS several
    ON several.vantage = batches.vantage AND several.connection = batches.connection
    AND several.epoch = batches.epoch AND several.api_name = batches.api_name
  WHERE batches.topic IS NOT NULL
),
roles AS (
  SELECT
    CASE
      WHEN api_name = 'PRODUCE' THEN 'produces'
      WHEN api_name IN ('FETCH', 'SHARE_FETCH') THEN 'consumes'
      ELSE 'commits'
    END AS role,
    counted.*
  FROM counted
),
span AS (
  SELECT nullif((max(time_ns) - min(time_ns)) / 1e9, 0) AS seconds FROM calls
),
named AS (
  SELECT client_host, client_id, explode_outer(groups) AS group_name
  FROM (SELECT DISTINCT client_host, client_id, groups FROM calls WHERE cardinality(groups) > 0) AS lists
),
members AS (
  SELECT client_host, client_id, min(group_name) AS group_name
  FROM named
  GROUP BY client_host, client_id
  HAVING count(DISTINCT group_name) = 1
),
latest AS (
  SELECT client_host, client_id, topic, partition, max_by(lag, time_ns) AS lag
  FROM partitions
  WHERE api_name IN ('FETCH', 'SHARE_FETCH') AND lag IS NOT NULL
  GROUP BY client_host, client_id, topic, partition
),
lags AS (
  SELECT client_host, client_id, topic, sum(lag) AS lag FROM latest GROUP BY client_host, client_id, topic
)
SELECT
  roles.topic, roles.role, roles.client_host, roles.client_id, roles.principal, roles.software_name,
  roles.software_version, coalesce(roles.group_name, members.group_name) AS "group",
  CAST(sum(roles.calls) AS BIGINT) AS calls,
  CAST(sum(roles.bytes) AS BIGINT) AS bytes,
  CAST(coalesce(sum(roles.records), 0) AS BIGINT) AS records,
  array_sort(collect_set(roles.acks)) AS acks,
  array_sort(collect_set(roles.codec)) AS codecs,
  array_sort(collect_set(roles.isolation_level)) AS isolation_levels,
  sum(roles.bytes) / max(span.seconds) AS bytes_per_s,
  max(CASE WHEN roles.role = 'consumes' THEN lags.lag END) AS lag
FROM roles CROSS JOIN span
LEFT JOIN members ON roles.client_host = members.client_host AND roles.client_id = members.client_id
LEFT JOIN lags
  ON roles.client_host = lags.client_host AND roles.client_id IS NOT DISTINCT FROM lags.client_id
  AND roles.topic = lags.topic
GROUP BY
  roles.topic, roles.role, roles.client_host, roles.client_id, roles.principal, roles.software_name,
  roles.software_version, coalesce(roles.group_name, members.group_name)
ORDER BY topic, role, bytes DESC, calls DESC, roles.client_host, roles.client_id
