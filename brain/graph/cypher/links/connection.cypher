// name: connection
// why: The shortest ways from one note to another over relationships and links, up to six steps.
// params: source text: path, title or id; target text: path, title or id; limit whole = 5: rows at most
// returns: steps, way

MATCH way = (a:Note)-[:EDGE|LINKS* ALL SHORTEST 1..6]-(b:Note)
WHERE (a.path = $source OR a.title = $source OR a.id = $source)
  AND (b.path = $target OR b.title = $target OR b.id = $target)
WITH DISTINCT length(way) AS steps, list_to_string(' > ', properties(nodes(way), 'path')) AS way
RETURN steps, way
ORDER BY steps, way
LIMIT $limit
