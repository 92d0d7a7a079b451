// name: subtree
// why: What is part of a note, and what is part of that, nearest first.
// params: note text: path, title or id of the note; limit whole = 200: rows at most
// returns: depth, path, title, kind

MATCH way = (n:Note)<-[e:EDGE* SHORTEST 1..20 (r, x | WHERE r.type = 'part_of')]-(d:Note)
WHERE n.path = $note OR n.title = $note OR n.id = $note
RETURN length(way) AS depth, d.path AS path, d.title AS title, d.kind AS kind
ORDER BY depth, path
LIMIT $limit
