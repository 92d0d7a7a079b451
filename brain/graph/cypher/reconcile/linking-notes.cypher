// name: linking-notes
// why: The live notes that link to one note, in their text or properties; read page by page.
// params: path text: path of the note that is linked to; after text: path of the last note of the page before, empty for the first page; limit whole = 500: rows at most
// returns: path

// Episodes and notes that are no longer current are never rewritten: the note they link to forwards.
MATCH (s:Note)-[:LINKS|EDGE|DISTINCT_FROM]->(n:Note)
WHERE n.path = $path AND s.path > $after AND s.kind <> 'episode' AND NOT s.status IN ['superseded', 'archived']
RETURN DISTINCT s.path AS path
ORDER BY path
LIMIT $limit
