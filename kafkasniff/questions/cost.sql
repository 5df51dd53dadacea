-- What record batches cost, by topic and client: bytes, of these not compressed, and batches of less than 1,024 bytes
-- with a single record, each of which takes a header of 61 bytes and a place in an index of its own.
SELECT
  topic, CASE WHEN api_name = 'PRODUCE' THEN 'produces' ELSE 'consumes' END AS role, client_host, client_id,
  count(*) AS batches, sum(size_in_bytes) AS bytes, coalesce(sum(record_count), 0) AS records,
  sum(CASE WHEN compression = 'none' THEN size_in_bytes ELSE 0 END) AS uncompressed_bytes,
  sum(CASE WHEN record_count = 1 AND size_in_bytes < 1024 THEN 1 ELSE 0 END) AS tiny_batches,
  sum(CASE WHEN record_count = 1 AND size_in_bytes < 1024 THEN size_in_bytes ELSE 0 END) AS tiny_bytes
FROM batches
WHERE NOT coalesce(is_control, false)
GROUP BY topic, CASE WHEN api_name = 'PRODUCE' THEN 'produces' ELSE 'consumes' END, client_host, client_id
ORDER BY bytes DESC, topic, role, client_host, client_id
