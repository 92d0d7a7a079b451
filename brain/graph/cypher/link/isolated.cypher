// name: isolated
// why: The live notes that nothing is linked with and that have not faded, the most important first.
// params: weight real = 0.3: a note that weighs less is left alone; limit whole = 5: rows at most
// returns: id, path, importance, weight

MATCH (n:Note)
WHERE n.kind <> 'episode' AND NOT n.status IN ['superseded', 'archived'] AND n.weight >= $weight
  AND NOT EXISTS { MATCH (n)-[:LINKS|EDGE]-(:Note) }
RETURN n.id AS id, n.path AS path, n.importance AS importance, n.weight AS weight
ORDER BY importance DESC, weight DESC, path
LIMIT $limit
