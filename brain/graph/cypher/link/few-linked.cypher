// name: few-linked
// why: For some notes, the notes they are linked with that are not linked with everything, each with how many it is linked with.
// params: notes texts: ids of the notes; degree_max whole = 50: what more notes are linked with brings nobody together; limit whole = 200000: rows at most
// returns: through, degree

// Counted by itself: with the walk on from there in one statement, the planner joins all links with all links.
MATCH (a:Note)-[:LINKS|EDGE]-(x:Note)
WHERE a.id IN $notes AND x.id <> a.id
WITH DISTINCT x
MATCH (x)-[:LINKS|EDGE]-(c:Note)
WITH x.id AS through, count(DISTINCT c.id) AS degree
WHERE degree <= $degree_max
RETURN through, degree
ORDER BY through
LIMIT $limit
