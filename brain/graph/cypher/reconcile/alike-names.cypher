// name: alike-names
// why: For some notes, the live notes whose names share a rare word with theirs, and that nobody has told apart.
// params: notes texts: ids of the notes; df_max whole: a word that more notes have proposes nothing; limit whole = 1000: rows at most
// returns: one, other, words

MATCH (a:Note)-[:NAMED]->(t:Token)<-[:NAMED]-(b:Note)
WHERE a.id IN $notes AND t.df <= $df_max AND a.id <> b.id
  AND b.kind <> 'episode' AND NOT b.status IN ['superseded', 'archived']
  AND NOT EXISTS { MATCH (a)-[:DISTINCT_FROM]-(b) }
RETURN a.id AS one, b.id AS other, count(t) AS words
ORDER BY words DESC, one, other
LIMIT $limit
