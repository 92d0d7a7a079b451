// name: neighbours
// why: What one note is tied to, with the kind of tie and its direction.
// params: note text: path, title or id of the note; limit whole = 100: rows at most
// returns: direction, type, path, title, reason

// The stored source tells the direction: start_node() gives n for either way (both engines, 2026-11).
MATCH (n:Note)-[e:EDGE|LINKS]-(m:Note)
WHERE n.path = $note OR n.title = $note OR n.id = $note
WITH CASE WHEN struct_extract(e, '_SRC') = id(n) THEN 'out' ELSE 'in' END AS direction,
     CASE WHEN label(e) = 'EDGE' THEN e.type ELSE 'links' END AS type, m, e
RETURN direction, type, m.path AS path, m.title AS title, min(e.reason) AS reason
ORDER BY direction DESC, type, path
LIMIT $limit
