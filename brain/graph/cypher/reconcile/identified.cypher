// name: identified
// why: The live notes that state an identifier in their properties (a mail address, a DOI), read page by page.
// params: keys texts: property names as they stand in JSON, in small letters with closing quote and colon; after text: path of the last note of the page before, empty for the first page; limit whole = 500: rows at most
// returns: id, path, title, properties

// Episodes are what was said once: two of them are never one thing.
MATCH (n:Note)
WHERE n.kind <> 'episode' AND NOT n.status IN ['superseded', 'archived'] AND n.path > $after
  AND any(key IN $keys WHERE lower(n.properties) CONTAINS key)
RETURN n.id AS id, n.path AS path, n.title AS title, n.properties AS properties
ORDER BY path
LIMIT $limit
