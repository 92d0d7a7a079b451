// name: unconfirmed
// why: Active notes that nobody has confirmed since a day, the longest unconfirmed first; what does not fade is left out.
// params: before text: an ISO date; limit whole = 1000: rows at most
// returns: id, path, confirmed

// People that matter and categories do not fade: their half-life is none. Pinned notes are a person's own choice.
MATCH (n:Note)
WHERE n.status = 'active' AND n.confirmed IS NOT NULL AND n.confirmed < CAST($before AS DATE)
  AND n.kind <> 'episode' AND NOT coalesce(n.pinned, false) AND n.half_life_days IS NOT NULL
RETURN n.id AS id, n.path AS path, n.confirmed AS confirmed
ORDER BY confirmed, path
LIMIT $limit
