// name: orphans
// why: Notes that nothing links to and that link to nothing.
// params: kind text = -: only this kind of note; limit whole = 50: rows at most
// returns: path, title, kind

MATCH (n:Note)
WHERE ($kind = '' OR n.kind = $kind)
  AND NOT EXISTS { MATCH (n)-[:EDGE|LINKS]-(:Note) }
RETURN n.path AS path, n.title AS title, n.kind AS kind
ORDER BY path
LIMIT $limit
