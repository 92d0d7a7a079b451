// name: common-neighbours
// why: For some notes, the live notes two links away that no link joins with them yet, the closest first.
// params: notes texts: ids of the notes; degree_max whole = 50: what more notes are linked with brings nobody together; limit whole = 1000: rows at most
// returns: one, other, shared, strength

// Whatever is linked with everything is counted first and passed over; of the rest each counts the more, the fewer
// notes it is linked with (Adamic and Adar, Friends and neighbors on the Web, 2003).
MATCH (a:Note)-[:LINKS|EDGE]-(x:Note)
WHERE a.id IN $notes AND x.id <> a.id
WITH DISTINCT a, x
MATCH (x)-[:LINKS|EDGE]-(c:Note)
WITH a, x, count(DISTINCT c.id) AS degree
WHERE degree <= $degree_max
MATCH (x)-[:LINKS|EDGE]-(b:Note)
WHERE b.id <> a.id AND b.kind <> 'episode' AND NOT b.status IN ['superseded', 'archived']
  AND NOT EXISTS { MATCH (a)-[:LINKS|EDGE]-(b) }
WITH DISTINCT a, x, b, degree
RETURN a.id AS one, b.id AS other, count(x) AS shared, sum(1.0 / ln(1.0 + degree)) AS strength
ORDER BY strength DESC, one, other
LIMIT $limit
