"""What becomes a question to a person where no model answers: pairs for which a name, a stated fact or one text speaks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from brain.stages import reconcile
from brain.stages.matching.store import FILE_NAME, open_store
from brain.stages.reconcile import find_pairs
from brain.vault.layout import Layout
from tests.stages.conftest import Make

NEAR = "The harbour of Vestby has three cranes, a slip of granite and a ferry to Moss.\n"


def test_a_person_is_not_asked_about_texts_that_are_only_near_and_a_model_is(make: Make) -> None:
    page = "---\ncategories: ['[[Pages]]']\n---\n[[Vestby]] [[Moss]]\n"
    vault = make({"Good hands.md": f"{page}{NEAR} Wisely wisely.\n", "Buy wisely.md": f"{page}{NEAR}Good hands and another end altogether in the whole of Oslo.\n"})
    (pair,) = find_pairs(vault.ctx, most=10)[0]
    near = replace(vault.ctx, config=replace(vault.ctx.config, limits=replace(vault.ctx.config.limits, question_bits_below=7.0)))
    report = reconcile.run(near)
    assert not pair.speaks and pair.against and not report.held
    assert report.waiting == 1 and "1 that neither names nor stated facts speak for" in report.notices[0]


def test_what_speaks_for_a_pair_is_a_name_a_fact_or_one_text_and_no_second_word(make: Make) -> None:
    copy = f"{NEAR}Its master was Halvard Quist, who rowed each evening across the fjord to Horten with salted herring and barrels.\n"
    vault = make({
        "Projects.md": "[[Base]]\n", "Products.md": "[[Base]]\n",  # two letters make another word
        "Kubernets.md": "a\n", "Kubernetes.md": "b\n",
        "Walnut.md": copy, "Cherry.md": copy,
        "Guide.md": '# Boat Handbook\na\n', "Seite.md": '<img alt="Boat Handbook">\n', "Initech.md": "formerly Intertrode\n", "Intertrode.md": "b\n",
    })  # fmt: skip
    found = {(Path(pair.left.path).stem, Path(pair.right.path).stem): pair.speaks for pair in find_pairs(vault.ctx, most=100)[0]}
    assert {ends: found.get(ends, "not found") for ends in [("Kubernetes", "Kubernets"), ("Cherry", "Walnut"), ("Initech", "Intertrode")]} == {
        ("Kubernetes", "Kubernets"): True, ("Cherry", "Walnut"): True, ("Initech", "Intertrode"): True,
    }  # fmt: skip
    assert found["Products", "Projects"] is False and found["Guide", "Seite"] is False


def test_what_does_not_agree_is_no_evidence(make: Make) -> None:
    vault = make({"a/Mira Holt.md": "Rows.\n", "b/Holt, Mira.md": "Sails.\n"})
    (held,) = reconcile.run(vault.ctx).held
    assert "but they lie in different folders" in held.plan.because and held.plan.question is not None
    assert "but they lie in different folders" in held.plan.question.evidence


def test_pairs_that_something_speaks_for_are_not_crowded_out(make: Make) -> None:
    vault = make({"Holt, Mira.md": "one\n", "Mira Holt.md": "two\n"})
    found = find_pairs(vault.ctx, most=10)[0]
    with open_store(Layout(vault.root).index) as store:
        (match,) = store.matches()
        store.settle({}, [replace(match, one="n-a", other="n-b", rank=match.rank + 5, speaks=False)])
        assert [known.one for known in store.matches(1, spoken_first=True)] == [match.one] and [known.one for known in store.matches(1)] == ["n-a"]
    assert len(found) == 1


def test_a_store_of_an_older_version_is_made_anew(make: Make) -> None:
    vault = make({"Holt, Mira.md": "one\n", "Mira Holt.md": "two\n"})
    place = Layout(vault.root).index / FILE_NAME
    with closing(sqlite3.connect(place)) as conn:
        conn.executescript("DROP TABLE IF EXISTS pair; CREATE TABLE pair(one TEXT, other TEXT, tier TEXT, rank REAL); PRAGMA user_version=0;")
    assert len(find_pairs(vault.ctx, most=10)[0]) == 1
