// name: weigh-edges
// why: Weighs every typed relation anew as of an instant, by when it was last stated and how often.
// params: now instant: naive UTC; half_life real: days, times ln(1 + count); spine text: the relation that never breaks; least real: what it keeps
// writes: EDGE.weight
MATCH (:Note)-[e:EDGE]->(:Note)
WITH e, (to_epoch_ms($now) - to_epoch_ms(CAST(e.last_reinforced AS TIMESTAMP))) / 86400000.0
      + (date_part('microsecond', $now) % 1000) / 86400000000.0 AS age
WITH e, pow(0.5, CASE WHEN age > 0.0 THEN age ELSE 0.0 END / ($half_life * ln(1.0 + e.count))) AS left
SET e.weight = CASE WHEN e.type = $spine AND left < $least THEN $least ELSE left END
