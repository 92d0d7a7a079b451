// name: broken-tree
// why: Active entities without a place in the tree, or with more than one.
// params: owner text = -: path, title or id of the owner, which needs no parent; limit whole = 50: rows at most
// returns: path, kind, parents

// Plain notes and episodes owe the tree nothing.
MATCH (n:Note)
WHERE n.status = 'active' AND NOT n.kind IN ['note', 'episode']
  AND NOT (n.path = $owner OR n.title = $owner OR n.id = $owner)
OPTIONAL MATCH (n)-[e:EDGE {type: 'part_of'}]->(p:Note)
WITH n, count(p) AS parents
WHERE parents <> 1
RETURN n.path AS path, n.kind AS kind, parents
ORDER BY parents DESC, path
LIMIT $limit
