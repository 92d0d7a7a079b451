// name: ancestors
// why: What a note is part of, nearest first, up to the root.
// params: note text: path, title or id of the note; limit whole = 20: rows at most
// returns: depth, path, title, kind

// SHORTEST: the plain form visits every walk, and on a cycle that is without end.
MATCH way = (n:Note)-[e:EDGE* SHORTEST 1..20 (r, x | WHERE r.type = 'part_of')]->(a:Note)
WHERE n.path = $note OR n.title = $note OR n.id = $note
RETURN length(way) AS depth, a.path AS path, a.title AS title, a.kind AS kind
ORDER BY depth, path
LIMIT $limit
