// name: parents
// why: What some notes are part of: one step up the tree from each.
// params: paths texts: paths of the notes; limit whole = 1000: rows at most
// returns: path, parent

MATCH (n:Note)-[e:EDGE]->(p:Note)
WHERE n.path IN $paths AND e.type = 'part_of' AND n.id <> p.id
RETURN DISTINCT n.path AS path, p.path AS parent
ORDER BY path, parent
LIMIT $limit
