-- Who produces to, consumes from and commits offsets of which topic. Bytes and records are those of the record batches
-- in Produce requests and Fetch responses; a producer or consumer has the group that its address and client id name, if
-- they name one alone. `acks` and `isolation_levels` are those of its requests, `codecs` those of the batches; bytes per
-- second are over the whole span of the calls. `lag` is that of the last Fetch by this client id
-- that names each partition, summed: the offsets between the end of what it was given and the high watermark.
WITH uses AS (
  SELECT
    vantage, connection, epoch, direction, stream_offset, explode_outer(topics) AS topic,
    CASE
      WHEN api_name = 'PRODUCE' THEN 'produces'
      WHEN api_name IN ('FETCH', 'SHARE_FETCH') THEN 'consumes'
      ELSE 'commits'
    END AS role,
    client_host, client_id, principal, software_name, software_version, groups, acks, isolation_level
  FROM calls
  WHERE api_name IN ('PRODUCE', 'FETCH', 'SHARE_FETCH', 'OFFSET_COMMIT', 'TXN_OFFSET_COMMIT')
),
held AS (
  SELECT
    vantage, connection, epoch, direction, stream_offset, topic,
    sum(size_in_bytes) AS bytes, sum(record_count) AS records, collect_set(compression) AS codecs
  FROM batches
  GROUP BY vantage, connection, epoch, direction, stream_offset, topic
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
  uses.topic, uses.role, uses.client_host, uses.client_id, uses.principal, uses.software_name, uses.software_version,
  CASE WHEN cardinality(uses.groups) > 0 THEN array_min(uses.groups) ELSE members.group_name END AS "group",
  count(*) AS calls,
  coalesce(sum(held.bytes), 0) AS bytes,
  coalesce(sum(held.records), 0) AS records,
  array_sort(collect_set(uses.acks)) AS acks,
  array_sort(array_distinct(flatten(collect_set(held.codecs)))) AS codecs,
  array_sort(collect_set(uses.isolation_level)) AS isolation_levels,
  coalesce(sum(held.bytes), 0) / max(span.seconds) AS bytes_per_s,
  max(CASE WHEN uses.role = 'consumes' THEN lags.lag END) AS lag
FROM uses CROSS JOIN span
LEFT JOIN held
  ON uses.vantage = held.vantage AND uses.connection = held.connection AND uses.epoch = held.epoch
  AND uses.direction = held.direction AND uses.stream_offset = held.stream_offset AND uses.topic = held.topic
LEFT JOIN members ON uses.client_host = members.client_host AND uses.client_id = members.client_id
LEFT JOIN lags
  ON uses.client_host = lags.client_host AND uses.client_id IS NOT DISTINCT FROM lags.client_id AND uses.topic = lags.topic
WHERE uses.topic IS NOT NULL
GROUP BY
  uses.topic, uses.role, uses.client_host, uses.client_id, uses.principal, uses.software_name, uses.software_version,
  CASE WHEN cardinality(uses.groups) > 0 THEN array_min(uses.groups) ELSE members.group_name END
ORDER BY uses.topic, uses.role, bytes DESC, calls DESC, uses.client_host, uses.client_id
