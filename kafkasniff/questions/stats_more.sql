-- More of the calls of each group of `stats`: what their record batches hold, fetches that were answered without any, and
-- how many requests a connection had in flight at most, this one among them. By topic, batches are those of that topic.
-- Calls that a filter left out count for nothing. The compression ratio is that of the bytes of batches to those without
-- compression, as in the producer's metric compression-rate-avg; compressed batches of magic 0 and 1, of damaged messages,
-- and those that cannot be decompressed do not count. A request that was never answered stays in flight to the end of its connection; one that wants no answer never is.
WITH held AS (
  SELECT
    vantage, connection, epoch, direction, stream_offset{topic},
    count(*) AS batches, sum(record_count) AS records, sum(size_in_bytes) AS batch_bytes,
    sum(CASE WHEN decompressed_bytes IS NOT NULL THEN size_in_bytes END) AS weighed_bytes,
    sum(decompressed_bytes) AS decompressed_bytes
  FROM batches
  GROUP BY vantage, connection, epoch, direction, stream_offset{topic}
),
moments AS (
  SELECT vantage, connection, epoch, direction, stream_offset, time_ns AS at_ns, 1 AS step
  FROM calls
  WHERE direction = 'request' AND outcome <> 'no-response-expected'
  UNION ALL
  SELECT
    vantage, connection, epoch, direction, stream_offset,
    time_ns + CAST(round(total_time_ms * 1000000) AS BIGINT) AS at_ns, -1 AS step
  FROM calls
  WHERE direction = 'request' AND outcome = 'answered'
),
counted AS (
  SELECT
    vantage, connection, epoch, direction, stream_offset, step,
    sum(step) OVER (
      PARTITION BY vantage, connection, epoch ORDER BY at_ns, step, stream_offset
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS in_flight
  FROM moments
),
depths AS (
  SELECT vantage, connection, epoch, direction, stream_offset, in_flight FROM counted WHERE step = 1
),
known AS (
  SELECT
    calls.*, held.batches, held.records, held.batch_bytes, held.weighed_bytes, held.decompressed_bytes, depths.in_flight
  FROM {calls}
  LEFT JOIN held
    ON calls.vantage = held.vantage AND calls.connection = held.connection AND calls.epoch = held.epoch
    AND calls.direction = held.direction AND calls.stream_offset = held.stream_offset{same_topic}
  LEFT JOIN depths
    ON calls.vantage = depths.vantage AND calls.connection = depths.connection AND calls.epoch = depths.epoch
    AND calls.direction = depths.direction AND calls.stream_offset = depths.stream_offset
)
SELECT
  {keys},
  coalesce(sum(batches), 0) AS batches,
  coalesce(sum(records), 0) AS records,
  sum(batch_bytes) / sum(batches) AS mean_batch_bytes,
  sum(records) / sum(batches) AS mean_batch_records,
  sum(weighed_bytes) / sum(decompressed_bytes) AS compression_ratio,
  sum(
    CASE
      WHEN api_name IN ('FETCH', 'SHARE_FETCH') AND outcome = 'answered' AND cardinality(error_names) = 0 AND batches IS NULL
      THEN 1 ELSE 0
    END
  ) AS empty_fetches,
  max(in_flight) AS max_in_flight
FROM known
GROUP BY {keys}
