// name: alike-links
// why: For some notes, the live notes that link to something that few others link to, and that nobody has told apart.
// params: notes texts: ids of the notes; df_max whole: what more notes link to proposes nothing; limit whole = 1000: rows at most
// returns: one, other, links

// What everybody links to is counted first and passed over: a hub would pair everything with everything.
MATCH (a:Note)-[:LINKS|EDGE]->(x:Note)
WHERE a.id IN $notes
WITH DISTINCT a, x
MATCH (x)<-[:LINKS|EDGE]-(c:Note)
WITH a, x, count(DISTINCT c.id) AS linking
WHERE linking <= $df_max
MATCH (x)<-[:LINKS|EDGE]-(b:Note)
WHERE a.id <> b.id AND b.kind <> 'episode' AND NOT b.status IN ['superseded', 'archived']
  AND NOT EXISTS { MATCH (a)-[:DISTINCT_FROM]-(b) }
RETURN a.id AS one, b.id AS other, count(DISTINCT x.id) AS links
ORDER BY links DESC, one, other
LIMIT $limit
