// name: shared-names
// why: Pairs of live notes that share a rare word of their names and that nobody has told apart.
// params: df_max whole: a word that more notes have proposes nothing; limit whole = 1000: rows at most
// returns: left, right, words

MATCH (a:Note)-[:NAMED]->(t:Token)<-[:NAMED]-(b:Note)
WHERE t.df <= $df_max AND a.path < b.path
  AND a.kind <> 'episode' AND b.kind <> 'episode'
  AND NOT a.status IN ['superseded', 'archived'] AND NOT b.status IN ['superseded', 'archived']
  AND NOT EXISTS { MATCH (a)-[:DISTINCT_FROM]-(b) }
RETURN a.path AS left, b.path AS right, count(t) AS words
ORDER BY words DESC, left, right
LIMIT $limit
