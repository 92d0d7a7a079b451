// name: standing-claims
// why: The claims that stand, note by note in the order of the note, with what is known of their days; read page by page.
// params: kinds texts: only claims of these kinds; after text: path of the last claim of the page before, empty for the first page; ordinal whole: its place in that note; limit whole = 1000: rows at most
// returns: note, path, title, ordinal, id, kind, text, confidence, valid_from, valid_to, recorded, sources, told

// The day on which a claim was told is that of the episode it was taken from.
MATCH (a:Atom)-[about:ABOUT]->(n:Note)
WHERE a.status = 'active' AND a.kind IN $kinds AND n.kind <> 'episode' AND NOT n.status IN ['superseded', 'archived']
  AND (n.path > $after OR (n.path = $after AND about.ordinal > $ordinal))
OPTIONAL MATCH (a)-[:FROM]->(e:Note)
WITH a, about, n, list_sort(collect(DISTINCT e.path)) AS sources, max(e.created) AS told
RETURN n.id AS note, n.path AS path, n.title AS title, about.ordinal AS ordinal, a.id AS id, a.kind AS kind, a.text AS text,
  a.confidence AS confidence, a.valid_from AS valid_from, a.valid_to AS valid_to, CAST(a.recorded AS DATE) AS recorded, sources, told
ORDER BY path, ordinal
LIMIT $limit
