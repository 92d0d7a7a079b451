// name: edges-by-type
// why: Every relationship of one type, the most often written first.
// params: type text: a word of EDGE.type; limit whole = 100: rows at most
// returns: source, target, count, reason

MATCH (a:Note)-[e:EDGE]->(b:Note)
WHERE e.type = $type
RETURN a.path AS source, b.path AS target, e.count AS count, e.reason AS reason
ORDER BY count DESC, source, target
LIMIT $limit
