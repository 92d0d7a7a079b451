// name: stale-notes
// why: Active notes that have faded below a weight, the most faded first.
// params: weight real = 0.25: only below this, 0 to 1; limit whole = 50: rows at most
// returns: path, kind, weight, touched

// The weight is as of the last index (weight_at).
MATCH (n:Note)
WHERE n.status = 'active' AND n.weight < $weight
RETURN n.path AS path, n.kind AS kind, n.weight AS weight, n.touched AS touched
ORDER BY weight, path
LIMIT $limit
