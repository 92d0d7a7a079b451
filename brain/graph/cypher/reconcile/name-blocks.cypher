// name: name-blocks
// why: The live notes that share a rare word of their names, word by word, read page by page.
// params: df_max whole: a word that more notes have proposes nothing; after text: last word of the page before, empty for the first page; limit whole = 1000: rows at most
// returns: word, notes

MATCH (n:Note)-[:NAMED]->(t:Token)
WHERE t.df > 1 AND t.df <= $df_max AND t.token > $after
  AND n.kind <> 'episode' AND NOT n.status IN ['superseded', 'archived']
WITH t.token AS word, list_sort(collect(n.id)) AS notes
WHERE size(notes) > 1
RETURN word, notes
ORDER BY word
LIMIT $limit
