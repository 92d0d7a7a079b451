// The graph of a vault. Derived: delete `.brain/index/` and `brain rebuild` makes an equal one.
// One node table per role and few relationship tables; the type of a semantic edge is a property,
// because a table per relation costs 3 to 10 times at load and at every untyped hop.
// $dims is the length of a vector and is filled in when the file is made.

CREATE NODE TABLE Note(
  id STRING PRIMARY KEY, path STRING, title STRING, folder STRING, type STRING, kind STRING, status STRING,
  importance DOUBLE, confidence STRING, created DATE, confirmed DATE, touched TIMESTAMP,
  base DOUBLE, weight DOUBLE, weight_at TIMESTAMP, half_life_days DOUBLE, pinned BOOL,
  aliases STRING[], tags STRING[], properties STRING, sha256 STRING);

CREATE NODE TABLE Atom(
  id STRING PRIMARY KEY, text STRING, kind STRING, confidence STRING, claimed_confidence STRING, status STRING,
  recorded TIMESTAMP, valid_from DATE, valid_to DATE, superseded_on DATE, importance DOUBLE,
  touched TIMESTAMP, base DOUBLE, weight DOUBLE, weight_at TIMESTAMP, half_life_days DOUBLE, pinned BOOL, line INT64);

CREATE NODE TABLE Chunk(id STRING PRIMARY KEY, model STRING, vector FLOAT[$dims]);
CREATE NODE TABLE Token(token STRING PRIMARY KEY, df INT64);

CREATE REL TABLE EDGE(FROM Note TO Note,
  type STRING, raw STRING, weight DOUBLE, count INT64, reason STRING, confidence STRING, origin STRING,
  valid_from DATE, valid_to DATE, last_reinforced DATE, lines INT64[]);
CREATE REL TABLE LINKS(FROM Note TO Note,
  raw STRING, anchor STRING, alias STRING, form STRING, place STRING, relation STRING, line INT64);
CREATE REL TABLE FORWARDS(FROM Note TO Note);
CREATE REL TABLE DISTINCT_FROM(FROM Note TO Note);
CREATE REL TABLE ABOUT(FROM Atom TO Note, ordinal INT64);
CREATE REL TABLE FROM(FROM Atom TO Note);
CREATE REL TABLE MENTIONS(FROM Atom TO Note);
CREATE REL TABLE REPLACES(FROM Atom TO Atom);
CREATE REL TABLE NAMED(FROM Note TO Token);
CREATE REL TABLE EMBEDS(FROM Chunk TO Note, ordinal INT64, heading STRING, line INT64);
