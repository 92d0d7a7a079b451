// name: episodes
// why: The notes that wait in a folder to be walked, in path order; read page by page from a path on.
// params: folder text: the inbox, without a slash at its end; after text: path of the last note of the page before, empty for the first page; limit whole = 200: rows at most
// returns: id, path, sha256

// A superseded or archived episode waits for nothing.
MATCH (n:Note)
WHERE (n.folder = $folder OR n.folder STARTS WITH ($folder + '/'))
  AND NOT n.status IN ['superseded', 'archived']
  AND n.path > $after
RETURN n.id AS id, n.path AS path, n.sha256 AS sha256
ORDER BY path
LIMIT $limit
