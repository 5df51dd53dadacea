-- Who produces to, consumes from and commits offsets of which topic. Bytes and records are those of the record batches
-- in Produce requests and Fetch responses; a producer or consumer has the group that its address and client id name, if
-- they name one alone. `acks` and `isolation_levels` are those of its requests, `codecs` those of the batches; bytes per
-- second are over the whole span of the calls. `lag` is that of the last Fetch by this client id
-- that names each partition, summed: the offsets between the end of what it was given and the high watermark.
WITH uses AS (
  SELECT
    vantage, connection, epoch, direction, stream_offset, topics,
    CASE
      WHEN api_name = 'PRODUCE' THEN 'produces'
      WHEN api_name IN ('FETCH', 'SHARE_FETCH') THEN 'consumes'
      ELSE 'commits'
    END AS role,
    client_host, client_id, principal, software_name, software_version, array_min(groups) AS group_name, acks,
    isolation_level
  FROM calls
  WHERE api_name IN ('PRODUCE', 'FETCH', 'SHARE_FETCH', 'OFFSET_COMMIT', 'TXN_OFFSET_COMMIT')
),
counted AS (
  SELECT
    topic, role, client_host, client_id, principal, software_name, software_version, group_name, acks, isolation_level,
    NULL AS codec, count(*) AS calls, 0 AS bytes, 0 AS records
  FROM (SELECT *, explode_outer(topics) AS topic FROM uses) AS named_topics
  WHERE topic IS NOT NULL
  GROUP BY
    topic, role, client_host, client_id, principal, software_name, software_version, group_name, acks, isolation_level
  UNION ALL
  SELECT
    batches.topic, uses.role, uses.client_host, uses.client_id, uses.principal, uses.software_name,
    uses.software_version, uses.group_name, NULL AS acks, NULL AS isolation_level,
    batches.compression AS codec, 0 AS calls, sum(batches.size_in_bytes) AS bytes, sum(batches.record_count) AS records
  FROM batches
  JOIN uses
    ON uses.vantage = batches.vantage AND uses.connection = batches.connection AND uses.epoch = batches.epoch
    AND uses.direction = batches.direction AND uses.stream_offset = batches.stream_offset
  WHERE batches.topic IS NOT NULL
  GROUP BY
    batches.topic, uses.role, uses.client_host, uses.client_id, uses.principal, uses.software_name,
    uses.software_version, uses.group_name, batches.compression
),
span AS (
  SELECT nullif((max(time_ns) - min(time_ns)) / 1e9, 0) AS seconds FROM calls
),
named AS (
  SELECT client_host, client_id, explode_outer(groups) AS group_name
  FROM calls
  WHERE cardinality(groups) > 0
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
  counted.topic, counted.role, counted.client_host, counted.client_id, counted.principal, counted.software_name,
  counted.software_version, coalesce(counted.group_name, members.group_name) AS "group",
  CAST(sum(counted.calls) AS BIGINT) AS calls,
  CAST(sum(counted.bytes) AS BIGINT) AS bytes,
  CAST(coalesce(sum(counted.records), 0) AS BIGINT) AS records,
  array_sort(collect_set(counted.acks)) AS acks,
  array_sort(collect_set(counted.codec)) AS codecs,
  array_sort(collect_set(counted.isolation_level)) AS isolation_levels,
  sum(counted.bytes) / max(span.seconds) AS bytes_per_s,
  max(CASE WHEN counted.role = 'consumes' THEN lags.lag END) AS lag
FROM counted CROSS JOIN span
LEFT JOIN members ON counted.client_host = members.client_host AND counted.client_id = members.client_id
LEFT JOIN lags
  ON counted.client_host = lags.client_host AND counted.client_id IS NOT DISTINCT FROM lags.client_id
  AND counted.topic = lags.topic
GROUP BY
  counted.topic, counted.role, counted.client_host, counted.client_id, counted.principal, counted.software_name,
  counted.software_version, coalesce(counted.group_name, members.group_name)
ORDER BY topic, role, bytes DESC, calls DESC, counted.client_host, counted.client_id
