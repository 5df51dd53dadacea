-- What was produced to and fetched from each partition: batches, records as far as their number is known, and bytes.
SELECT
  topic, partition,
  sum(CASE WHEN api_name = 'PRODUCE' THEN size_in_bytes ELSE 0 END) AS produced_bytes,
  sum(CASE WHEN api_name = 'PRODUCE' THEN coalesce(record_count, 0) ELSE 0 END) AS produced_records,
  sum(CASE WHEN api_name = 'PRODUCE' THEN 1 ELSE 0 END) AS produced_batches,
  sum(CASE WHEN api_name <> 'PRODUCE' THEN size_in_bytes ELSE 0 END) AS fetched_bytes,
  sum(CASE WHEN api_name <> 'PRODUCE' THEN coalesce(record_count, 0) ELSE 0 END) AS fetched_records,
  sum(CASE WHEN api_name <> 'PRODUCE' THEN 1 ELSE 0 END) AS fetched_batches,
  max(last_offset) AS last_offset
FROM batches
GROUP BY topic, partition
ORDER BY produced_bytes + fetched_bytes DESC, topic, partition
