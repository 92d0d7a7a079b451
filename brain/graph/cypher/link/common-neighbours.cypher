// name: common-neighbours
// why: For some notes, the live notes two links away that no link joins with them yet, and through which note.
// params: notes texts: ids of the notes; near texts: ids of the notes between, as few-linked gives them; limit whole = 20000: rows at most
// returns: one, through, other

MATCH (a:Note)-[:LINKS|EDGE]-(x:Note)
WHERE a.id IN $notes AND x.id IN $near AND x.id <> a.id
WITH DISTINCT a, x
MATCH (x)-[:LINKS|EDGE]-(b:Note)
WHERE b.id <> a.id AND b.kind <> 'episode' AND NOT b.status IN ['superseded', 'archived']
  AND NOT EXISTS { MATCH (a)-[:LINKS|EDGE]-(b) }
WITH DISTINCT a.id AS one, x.id AS through, b.id AS other
RETURN one, through, other
ORDER BY one, other, through
LIMIT $limit
