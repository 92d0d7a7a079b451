// name: open-relations
// why: Edges of some types that have not ended, note by note, with how many claims of the note were closed; read page by page.
// params: types texts: only edges of these types; skip whole = 0: rows of the pages before; limit whole = 1000: rows at most
// returns: id, path, kind, type, target, title, closed

// What has ended needs no end, and an episode states what held on its day.
MATCH (s:Note)-[e:EDGE]->(t:Note)
WHERE e.type IN $types AND e.valid_to IS NULL AND s.kind <> 'episode' AND NOT s.status IN ['superseded', 'archived']
OPTIONAL MATCH (a:Atom)-[:ABOUT]->(s)
WHERE a.status = 'superseded'
RETURN s.id AS id, s.path AS path, s.kind AS kind, e.type AS type, t.path AS target, t.title AS title, count(a.id) AS closed
ORDER BY path, type, target
SKIP $skip LIMIT $limit
