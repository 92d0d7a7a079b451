// name: crowded-notes
// why: Live notes with more standing claims than somebody wants, the fullest first; brain consolidate folds what they say twice.
// params: ceiling whole: claims that may stand; limit whole = 1000: rows at most
// returns: id, path, title, claims

MATCH (a:Atom)-[:ABOUT]->(n:Note)
WHERE a.status = 'active' AND n.kind <> 'episode' AND NOT n.status IN ['superseded', 'archived']
WITH n.id AS id, n.path AS path, n.title AS title, count(a) AS claims
WHERE claims > $ceiling
RETURN id, path, title, claims
ORDER BY claims DESC, path
LIMIT $limit
