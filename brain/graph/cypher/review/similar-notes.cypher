// name: similar-notes
// why: The notes whose text is nearest to one note's, by the embedding of their pieces.
// params: note text: path, title or id of the note; limit whole = 10: rows at most
// returns: path, title, similarity

MATCH (n:Note)<-[:EMBEDS]-(c:Chunk)
WHERE n.path = $note OR n.title = $note OR n.id = $note
MATCH (d:Chunk)-[:EMBEDS]->(m:Note)
WHERE m.id <> n.id AND d.model = c.model
RETURN m.path AS path, m.title AS title, max(array_cosine_similarity(c.vector, d.vector)) AS similarity
ORDER BY similarity DESC, path
LIMIT $limit
