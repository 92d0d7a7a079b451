// name: unexplained
// why: Typed edges that no line gives a reason for, read page by page.
// params: skip whole: rows of the pages before; limit whole = 500: rows at most
// returns: source, type, target, lines

MATCH (s:Note)-[e:EDGE]->(t:Note)
WHERE e.reason IS NULL AND s.kind <> 'episode' AND NOT s.status IN ['superseded', 'archived']
RETURN s.path AS source, e.type AS type, t.path AS target, e.lines AS lines
ORDER BY source, type, target
SKIP $skip LIMIT $limit
