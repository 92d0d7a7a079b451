// name: hubs
// why: The notes with the most relationships and links, both ways together.
// params: limit whole = 20: rows at most
// returns: path, title, degree

MATCH (n:Note)-[e:EDGE|LINKS]-(:Note)
RETURN n.path AS path, n.title AS title, count(e) AS degree
ORDER BY degree DESC, path
LIMIT $limit
