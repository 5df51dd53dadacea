-- The generations of each group (in KIP-848 the epochs of its members), and whose call began each: a leave since the
-- generation before, else the first join that the broker answered with it. A member that the generation before has not
-- is one that `joined`.
WITH joins AS (
  SELECT "group", generation, time, time_ns, client_id, client, member_id, protocol, reason
  FROM group_events
  WHERE event = 'join' AND error_name IS NULL AND generation > 0
),
generations AS (
  SELECT
    "group", generation, min(time) AS time, min(time_ns) AS time_ns, count(DISTINCT member_id) AS members,
    min_by(client_id, time_ns) AS client_id, min_by(client, time_ns) AS client, min_by(member_id, time_ns) AS member_id,
    min_by(coalesce(reason, ''), time_ns) AS reason, max(protocol) AS protocol
  FROM joins
  GROUP BY "group", generation
),
ordered AS (
  SELECT
    *,
    lag(time_ns) OVER (PARTITION BY "group" ORDER BY generation) AS before_ns,
    lag(generation) OVER (PARTITION BY "group" ORDER BY generation) AS before_generation
  FROM generations
),
leaves AS (
  SELECT
    ordered."group", ordered.generation, min_by(events.client_id, events.time_ns) AS client_id,
    min_by(events.client, events.time_ns) AS client, min_by(events.member_id, events.time_ns) AS member_id,
    min_by(coalesce(events.reason, ''), events.time_ns) AS reason
  FROM ordered
  JOIN group_events AS events
    ON ordered."group" = events."group" AND events.event = 'leave' AND events.time_ns <= ordered.time_ns
    AND events.time_ns > ordered.before_ns
  GROUP BY ordered."group", ordered.generation
),
earlier AS (
  SELECT DISTINCT ordered."group", ordered.generation
  FROM ordered
  JOIN joins
    ON ordered."group" = joins."group" AND ordered.before_generation = joins.generation
    AND ordered.member_id = joins.member_id
)
SELECT
  ordered."group", ordered.generation, ordered.time, ordered.members, ordered.protocol,
  CASE WHEN leaves.generation IS NULL THEN ordered.client_id ELSE leaves.client_id END AS caused_by,
  CASE WHEN leaves.generation IS NULL THEN ordered.client ELSE leaves.client END AS client,
  CASE WHEN leaves.generation IS NULL THEN ordered.member_id ELSE leaves.member_id END AS member_id,
  CASE
    WHEN leaves.generation IS NOT NULL THEN 'left'
    WHEN ordered.before_ns IS NULL THEN 'first seen'
    WHEN earlier.generation IS NULL THEN 'joined'
    ELSE 'joined again'
  END AS how,
  CASE WHEN leaves.generation IS NULL THEN ordered.reason ELSE leaves.reason END AS reason
FROM ordered
LEFT JOIN leaves ON ordered."group" = leaves."group" AND ordered.generation = leaves.generation
LEFT JOIN earlier ON ordered."group" = earlier."group" AND ordered.generation = earlier.generation
ORDER BY ordered.time_ns, ordered."group"
