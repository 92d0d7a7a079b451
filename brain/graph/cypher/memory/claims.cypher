// name: claims
// why: What is claimed in a note, and in others about it, superseded claims last.
// params: note text: path, title or id of the note; limit whole = 100: rows at most
// returns: status, kind, text, valid_from, valid_to, path

MATCH (a:Atom)-[:ABOUT|MENTIONS]->(n:Note), (a)-[:ABOUT]->(home:Note)
WHERE n.path = $note OR n.title = $note OR n.id = $note
RETURN DISTINCT a.status AS status, a.kind AS kind, a.text AS text, a.valid_from AS valid_from, a.valid_to AS valid_to,
  home.path AS path
ORDER BY status, path, text, kind
LIMIT $limit
