// name: weigh-nodes
// why: Weighs every note and atom anew as of an instant; what is stored is the base, so that many passes equal one.
// params: now instant: naive UTC; stretch real: how far importance stretches a half-life; floor real: what it holds up
// writes: Note.weight, Note.weight_at, Atom.weight, Atom.weight_at
//
// The engine has no GREATEST over DOUBLE and counts epochs in milliseconds only, hence the CASEs and the rest in microseconds.
MATCH (n:Note:Atom)
WITH n, (to_epoch_ms($now) - to_epoch_ms(n.touched)) / 86400000.0
      + (date_part('microsecond', $now) % 1000 - date_part('microsecond', n.touched) % 1000) / 86400000000.0 AS age
WITH n, $floor * n.importance AS least,
     n.base * pow(0.5, CASE WHEN age > 0.0 THEN age ELSE 0.0 END / (n.half_life_days * (1.0 + $stretch * n.importance))) AS faded
WITH n, CASE WHEN n.pinned OR n.half_life_days IS NULL THEN n.base WHEN faded < least THEN least ELSE faded END AS held
SET n.weight = CASE WHEN held > 1.0 THEN 1.0 ELSE held END, n.weight_at = $now
