// name: insight-hubs
// why: The notes that typed connections join with many live notes, and which: together they may teach something.
// params: notes_min whole = 4: connected notes from which on a note counts; limit whole = 1000: rows at most
// returns: hub, path, connected

// Episodes are what was said once, and insights are what was learned: neither is what something is learned from.
MATCH (h:Note)-[:EDGE]-(n:Note)
WHERE NOT h.kind IN ['episode', 'insight'] AND NOT h.status IN ['superseded', 'archived']
  AND NOT n.kind IN ['episode', 'insight'] AND NOT n.status IN ['superseded', 'archived'] AND n.id <> h.id
WITH h.id AS hub, h.path AS path, list_sort(collect(DISTINCT n.id)) AS connected
WHERE size(connected) >= $notes_min
RETURN hub, path, connected
ORDER BY size(connected) DESC, path
LIMIT $limit
