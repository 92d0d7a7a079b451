// name: edge-types
// why: How many relationships there are of each type.
// params: limit whole = 50: rows at most
// returns: type, edges

MATCH (:Note)-[e:EDGE]->(:Note)
RETURN e.type AS type, count(e) AS edges
ORDER BY edges DESC, type
LIMIT $limit
