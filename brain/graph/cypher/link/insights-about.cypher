// name: insights-about
// why: The live insight notes that have typed edges to some notes, those with the most first.
// params: notes texts: ids of the notes; shared_min whole = 3: edges from which on an insight is about them; limit whole = 1: rows at most
// returns: id, path, shared

MATCH (i:Note)-[:EDGE]->(n:Note)
WHERE i.kind = 'insight' AND NOT i.status IN ['superseded', 'archived'] AND n.id IN $notes
WITH i, count(DISTINCT n.id) AS shared
WHERE shared >= $shared_min
RETURN i.id AS id, i.path AS path, shared
ORDER BY shared DESC, path
LIMIT $limit
