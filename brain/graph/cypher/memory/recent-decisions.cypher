// name: recent-decisions
// why: The decisions that stand, the latest first, with the note that holds each.
// params: limit whole = 20: rows at most
// returns: day, text, path, confidence

// A decision without a date of its own counts from the day it was recorded.
MATCH (a:Atom)-[:ABOUT]->(n:Note)
WHERE a.kind = 'decision' AND a.status = 'active'
RETURN coalesce(a.valid_from, CAST(a.recorded AS DATE), n.created) AS day, a.text AS text, n.path AS path, a.confidence AS confidence
ORDER BY day IS NULL, day DESC, path, text
LIMIT $limit
