// name: superseded
// why: Claims that a later one took the place of, the latest change first.
// params: limit whole = 50: rows at most
// returns: changed, before, after, path

MATCH (later:Atom)-[:REPLACES]->(earlier:Atom)-[:ABOUT]->(n:Note)
RETURN earlier.superseded_on AS changed, earlier.text AS before, later.text AS after, n.path AS path
ORDER BY changed IS NULL, changed DESC, path, before, after
LIMIT $limit
