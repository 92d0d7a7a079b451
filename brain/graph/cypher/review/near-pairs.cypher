// name: near-pairs
// why: Pairs of notes whose names share rare words, and which nobody has told apart.
// params: df_max whole = 20: a word in more names than this does not count; limit whole = 50: rows at most
// returns: first, second, tokens, score

// Rare words weigh more: 1/df each. A common word would pair everything with everything.
MATCH (a:Note)-[:NAMED]->(t:Token)<-[:NAMED]-(b:Note)
WHERE t.df <= $df_max AND a.id < b.id AND a.status = 'active' AND b.status = 'active'
WITH a, b, list_sort(collect(t.token)) AS tokens, sum(1.0 / t.df) AS score
WHERE NOT EXISTS { MATCH (a)-[:DISTINCT_FROM|FORWARDS]-(b) }
RETURN a.path AS first, b.path AS second, tokens, score
ORDER BY score DESC, first, second
LIMIT $limit
