// name: link-blocks
// why: The live notes that link to one thing that few others link to, thing by thing, read page by page.
// params: df_max whole: what more notes link to proposes nothing; after text: last target of the page before, empty for the first page; limit whole = 1000: rows at most
// returns: target, notes

// One pass over all links: looking the targets of some notes up takes longer than all of them at once (0.11.3).
MATCH (n:Note)-[:LINKS|EDGE]->(x:Note)
WHERE x.id > $after AND n.kind <> 'episode' AND NOT n.status IN ['superseded', 'archived']
WITH x.id AS target, list_sort(collect(DISTINCT n.id)) AS notes
WHERE size(notes) > 1 AND size(notes) <= $df_max
RETURN target, notes
ORDER BY target
LIMIT $limit
