"""The labelled sets keep what their README promises. They are read here as plain JSON, without any loader."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from brain.core.vocabulary import ATOM_KINDS, RELATIONS

SETS = Path(__file__).resolve().parents[2] / "bench" / "quality" / "sets"
RARE_NOTES_MAX = 6
Row = dict[str, Any]

LABELS = {
    "entities": {"same", "different", "undecidable"},
    "relations": {*RELATIONS, "none"},
    "rivals": {"supersedes", "contradicts", "compatible", "same"},
}
SHAPES = {
    "people", "namesake", "nickname", "project", "tool", "version", "acronym", "homonym", "org",
    "place", "concept", "event", "series", "plural", "typo", "translation", "renamed", "account",
    "qualifier", "antonym", "number", "work", "copy", "template", "identifier",
}  # fmt: skip
SIGNS = {"identifier", "alias", "near_text", "rare_link", "name", "meaning"}
SYMMETRIC = {"relates_to", "same_entity", "contradicts"}
RELATION_TRAPS = {
    "plain", "passive", "reversed", "indirect", "change", "condition", "negation", "past", "hypothetical",
    "question", "mention", "plan", "wish", "hearsay", "quote", "sarcasm", "other_subject", "correction",
    "instruction",
}  # fmt: skip
EPISODE_TRAPS = {
    "wish", "question", "hypothetical", "sarcasm", "negated", "retracted", "hearsay", "quote", "opinion",
    "vague_name", "instruction", "other",
}  # fmt: skip
IDENTIFIER = re.compile(
    r"[\w.+-]+@[\w.-]+\.\w+|https?://(?!doi\.)[^\s)>\"',\]]+|\b97[89]\d{10}\b|10\.5555/[\w./-]+"
    r"|\b[A-Z]{2,5}-\d[\dA-Z-]{3,}|\+\d[\d ]{7,}\d|\b\d{1,3}(?:\.\d{1,3}){3}\b"
)
HOST = re.compile(r"(?:[\w.+-]+@|https?://)([\w.-]+\w)")
RESERVED_HOST = re.compile(r"(?:^|\.)example\.(?:org|com|net)$|\.test$")


def rows(name: str) -> list[Row]:
    """Reads one set."""
    return [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text("utf-8").splitlines()]


def share(found: int, of: int) -> float:
    return found / of


WORLDS: dict[str, dict[str, str]] = {
    path.stem: {note["path"]: note["text"] for note in rows(f"worlds/{path.stem}")}
    for path in sorted((SETS / "worlds").glob("*.jsonl"))
}
PAIRS, SENTENCES, EPISODES, RIVALS = rows("entities"), rows("relations"), rows("episodes"), rows("rivals")
SAME = [pair for pair in PAIRS if pair["label"] == "same"]
FILES = {"entities": PAIRS, "relations": SENTENCES, "episodes": EPISODES, "rivals": RIVALS}


# All sets


@pytest.mark.parametrize("name", FILES)
def test_ids_are_unique_and_every_line_has_the_same_keys(name: str) -> None:
    assert [] == [key for key, count in Counter(row["id"] for row in FILES[name]).items() if count > 1]
    assert {tuple(row) for row in FILES[name]} == {tuple(FILES[name][0])}


@pytest.mark.parametrize(("name", "least"), [("entities", 330), ("relations", 130), ("episodes", 24), ("rivals", 60)])
def test_a_set_has_the_promised_size_and_a_third_is_kept(name: str, least: int) -> None:
    assert len(FILES[name]) >= least
    assert {row["split"] for row in FILES[name]} == {"tune", "kept"}
    assert 0.3 <= share(sum(row["split"] == "kept" for row in FILES[name]), len(FILES[name])) <= 0.37


@pytest.mark.parametrize("name", LABELS)
def test_labels_come_from_a_closed_list_and_all_of_it_is_used(name: str) -> None:
    field = "relation" if name == "relations" else "label"
    assert {row[field] for row in FILES[name]} == LABELS[name]


@pytest.mark.parametrize("name", LABELS)
def test_no_label_stands_on_one_side_of_the_split_only(name: str) -> None:
    field = "relation" if name == "relations" else "label"
    assert {row[field] for row in FILES[name] if row["split"] == "tune"} == LABELS[name]
    assert {row[field] for row in FILES[name] if row["split"] == "kept"} == LABELS[name]


@pytest.mark.parametrize("path", sorted(SETS.rglob("*.jsonl")), ids=lambda path: path.stem)
def test_addresses_lie_in_reserved_domains(path: Path) -> None:
    assert [] == [host for host in HOST.findall(path.read_text("utf-8")) if not RESERVED_HOST.search(host)]


def test_the_readme_counts_what_is_there() -> None:
    notes = sum(len(world) for world in WORLDS.values())
    atoms, wrong, actions = (sum(len(episode[part]) for episode in EPISODES) for part in ("atoms", "wrong", "actions"))
    readme = (SETS / "README.md").read_text("utf-8")
    assert f"| entities | {len(PAIRS)} in {len(WORLDS)} worlds of {notes} notes | {len(SAME)} same," in readme
    assert f"| relations | {len(SENTENCES)} |" in readme
    assert f"| episodes | {len(EPISODES)} | {atoms} atoms, {wrong} wrong lines, {actions} actions |" in readme
    assert f"| rivals | {len(RIVALS)} |" in readme


# Worlds


@pytest.mark.parametrize("world", WORLDS)
def test_a_world_is_a_folder_that_every_file_system_can_hold(world: str) -> None:
    listed = [note["path"] for note in rows(f"worlds/{world}")]
    assert 40 <= len(listed) <= 150
    assert len({path.casefold() for path in listed}) == len(listed)
    assert [] == [
        path for path in listed if not re.fullmatch(r"(?!/)[^:?*\"<>|\\\0]+\.md", path) or ".." in path.split("/")
    ]


@pytest.mark.parametrize("world", WORLDS)
def test_the_notes_of_a_world_are_markdown_with_readable_frontmatter(world: str) -> None:
    markdown = MarkdownIt()
    for path, text in WORLDS[world].items():
        assert text.strip(), path
        assert markdown.parse(text), path
        if text.startswith("---\n"):
            block, found, _ = text[4:].partition("\n---\n")
            assert found, path
            assert isinstance(yaml.safe_load(block), dict), path


def test_notes_are_of_many_lengths() -> None:
    lines = sorted(text.count("\n") for notes in WORLDS.values() for text in notes.values())
    assert lines[0] <= 1
    assert lines[-1] >= 60
    assert sum(count >= 20 for count in lines) >= 40


def test_there_are_about_a_dozen_worlds_and_each_has_pairs_of_both_labels() -> None:
    assert len(WORLDS) >= 12
    for world in WORLDS:
        labels = Counter(pair["label"] for pair in PAIRS if pair["world"] == world)
        assert labels["same"] >= 10, world
        assert labels["different"] >= 10, world


# Entities


def test_both_notes_of_a_pair_exist_and_no_pair_stands_twice() -> None:
    assert [] == [pair["id"] for pair in PAIRS if not {pair["left"], pair["right"]} <= WORLDS[pair["world"]].keys()]
    assert [] == [pair["id"] for pair in PAIRS if pair["left"] == pair["right"]]
    assert max(Counter(key(pair) for pair in PAIRS).values()) == 1


def test_shapes_and_signs_come_from_closed_lists() -> None:
    assert {pair["shape"] for pair in PAIRS} == SHAPES
    assert {sign for pair in PAIRS for sign in pair["signs"]} == SIGNS
    assert [] == [pair["id"] for pair in SAME if not pair["signs"]]
    assert [] == [pair["id"] for pair in PAIRS if "meaning" in pair["signs"] and len(pair["signs"]) > 1]


def test_the_labels_have_the_promised_shares() -> None:
    counts = Counter(pair["label"] for pair in PAIRS)
    assert 0.40 <= share(counts["same"], len(PAIRS)) <= 0.50
    assert 0.45 <= share(counts["different"], len(PAIRS)) <= 0.55
    assert 0.03 <= share(counts["undecidable"], len(PAIRS)) <= 0.08


@pytest.mark.parametrize("label", ["same", "different"])
def test_a_third_of_each_label_is_adversarial_but_not_all_of_it(label: str) -> None:
    of_label = [pair["adversarial"] for pair in PAIRS if pair["label"] == label]
    assert 1 / 3 <= share(sum(of_label), len(of_label)) <= 0.85


def test_true_pairs_hold_what_real_duplicates_hold() -> None:
    signs = Counter(sign for pair in SAME for sign in pair["signs"])
    assert 0.18 <= share(signs["identifier"], len(SAME)) <= 0.3
    assert min(signs[sign] for sign in SIGNS) >= 10


def test_same_is_closed() -> None:
    label = {key(pair): pair["label"] for pair in PAIRS}
    for world, group in groups():
        for left, right in combinations(sorted(group), 2):
            assert label.get((world, frozenset((left, right)))) == "same", (world, left, right)


def test_what_is_undecidable_towards_one_note_is_undecidable_towards_its_duplicates() -> None:
    label = {key(pair): pair["label"] for pair in PAIRS}
    group = {(world, path): members for world, members in groups() for path in members}
    for pair in (pair for pair in PAIRS if pair["label"] == "undecidable"):
        world = pair["world"]
        for left in group.get((world, pair["left"]), {pair["left"]}):
            for right in group.get((world, pair["right"]), {pair["right"]}):
                assert label.get((world, frozenset((left, right)))) == "undecidable", (world, left, right)


def test_no_note_stands_in_pairs_of_both_splits() -> None:
    sides = {(pair["world"], pair[side], pair["split"]) for pair in PAIRS for side in ("left", "right")}
    assert [] == [note for note, count in Counter((world, path) for world, path, _ in sides).items() if count > 1]


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_every_shape_stands_on_both_sides_of_the_split(shape: str) -> None:
    kept = [pair["split"] == "kept" for pair in PAIRS if pair["shape"] == shape]
    assert 0.15 <= share(sum(kept), len(kept)) <= 0.5


def test_an_identifier_that_is_named_as_a_sign_stands_in_both_notes() -> None:
    assert [] == [
        pair["id"] for pair in with_sign("identifier") if not identifiers(pair, "left") & identifiers(pair, "right")
    ]


def test_an_alias_that_is_named_as_a_sign_is_stated() -> None:
    for pair in with_sign("alias"):
        left, right = aliases(pair, "left"), aliases(pair, "right")
        told = {name for name in left if name in pair["right"].casefold()} | {
            name for name in right if name in pair["left"].casefold()
        }
        assert told or left & right, pair["id"]


def test_a_rare_link_that_is_named_as_a_sign_is_shared_by_few() -> None:
    for pair in with_sign("rare_link"):
        notes = WORLDS[pair["world"]]
        shared = links(notes[pair["left"]]) & links(notes[pair["right"]])
        one_names_the_other = stem(pair["left"]) in links(notes[pair["right"]]) or stem(pair["right"]) in links(
            notes[pair["left"]]
        )
        rarest = min((sum(target in links(text) for text in notes.values()) for target in shared), default=len(notes))
        assert one_names_the_other or rarest <= RARE_NOTES_MAX, pair["id"]


def test_an_equal_title_proves_nothing() -> None:
    equal = Counter(pair["label"] for pair in PAIRS if stem(pair["left"]) == stem(pair["right"]))
    assert min(equal["same"], equal["different"]) >= 8


def test_text_that_is_named_as_near_is_near() -> None:
    for pair in with_sign("near_text"):
        notes = WORLDS[pair["world"]]
        assert SequenceMatcher(None, notes[pair["left"]], notes[pair["right"]], autojunk=False).ratio() >= 0.5, pair[
            "id"
        ]


# Relations


def test_both_names_stand_in_the_sentence_in_their_order() -> None:
    assert [] == [
        row["id"] for row in SENTENCES if not 0 <= row["text"].find(row["first"]) < row["text"].find(row["second"])
    ]


def test_a_direction_is_given_exactly_where_the_relation_has_one() -> None:
    for row in SENTENCES:
        directed = row["relation"] not in {"none", *SYMMETRIC}
        assert (row["direction"] in ("forward", "backward")) == directed, row["id"]
        assert directed or row["direction"] is None, row["id"]
        assert {other["relation"] for other in row["also"]} <= set(RELATIONS), row["id"]


def test_at_least_two_fifths_state_no_relation_and_each_relation_has_three_sentences() -> None:
    counts = Counter(row["relation"] for row in SENTENCES)
    assert share(counts["none"], len(SENTENCES)) >= 0.4
    assert [] == [relation for relation in RELATIONS if counts[relation] < 3]


def test_sentences_are_tempting_in_many_ways_and_in_several_languages() -> None:
    assert {row["trap"] for row in SENTENCES} == RELATION_TRAPS
    assert len({row["lang"] for row in SENTENCES}) >= 5
    assert [] == [
        row["id"] for row in SENTENCES if row["relation"] == "none" and row["trap"] in ("plain", "reversed", "passive")
    ]
    assert {row["direction"] for row in SENTENCES if row["trap"] == "reversed"} == {"backward"}


# Episodes


def test_every_quote_of_an_episode_stands_in_it() -> None:
    for episode in EPISODES:
        for part in (*episode["atoms"], *episode["wrong"], *episode["actions"]):
            assert part["quote"] in episode["text"], (episode["id"], part["quote"])


def test_atoms_have_kinds_of_the_vocabulary_and_real_dates() -> None:
    used = {kind for episode in EPISODES for atom in episode["atoms"] for kind in (atom["kind"], *atom["also_kinds"])}
    assert used == set(ATOM_KINDS)
    for episode in EPISODES:
        date.fromisoformat(episode["recorded"])
        for atom in episode["atoms"]:
            assert [
                atom["id"] for day in (atom["date"], *atom["also_dates"]) if day and not date.fromisoformat(day)
            ] == []


def test_an_entity_is_called_existing_exactly_when_the_vault_has_it() -> None:
    for episode in EPISODES:
        for atom in episode["atoms"]:
            assert (atom["entity_is"] == "existing") == (atom["entity"] in episode["existing"]), (
                episode["id"],
                atom["entity"],
            )


def test_every_episode_tempts_and_some_hold_orders_to_a_program() -> None:
    traps = Counter(wrong["trap"] for episode in EPISODES for wrong in episode["wrong"])
    assert set(traps) == EPISODE_TRAPS
    assert traps["instruction"] >= 5
    assert [] == [episode["id"] for episode in EPISODES if not episode["wrong"]]
    assert {kind for episode in EPISODES for wrong in episode["wrong"] for kind in wrong["allowed"]} <= set(ATOM_KINDS)


def test_a_wrong_line_allows_the_atoms_that_were_taken_from_it() -> None:
    for episode in EPISODES:
        for wrong in episode["wrong"]:
            taken = {
                atom["kind"] for atom in episode["atoms"] if overlap(episode["text"], atom["quote"], wrong["quote"])
            }
            assert taken <= set(wrong["allowed"]), (episode["id"], wrong["quote"])


def test_episodes_are_short_and_long_and_one_holds_nothing() -> None:
    lengths = sorted(len(episode["text"].encode()) for episode in EPISODES)
    assert lengths[0] < 200
    assert sum(3_000 <= length <= 8_000 for length in lengths) >= 5
    assert any(not episode["atoms"] for episode in EPISODES)


# Rivals


def test_a_superseding_claim_says_which_one_holds_and_since_when() -> None:
    for rival in RIVALS:
        supersedes = rival["label"] == "supersedes"
        assert (rival["holds"] in ("first", "second")) == supersedes, rival["id"]
        assert (rival["since"] is not None) == supersedes, rival["id"]
        assert not supersedes or date.fromisoformat(rival["since"]), rival["id"]


def test_what_contradicts_cannot_be_put_into_an_order() -> None:
    dated = [rival for rival in RIVALS if rival["label"] == "contradicts"]
    assert [] == [rival["id"] for rival in dated if rival["first"]["recorded"] != rival["second"]["recorded"]]


def test_rival_claims_are_two_texts_about_one_thing_and_of_all_labels() -> None:
    counts = Counter(rival["label"] for rival in RIVALS)
    assert min(counts.values()) >= 12
    assert {rival["kind"] for rival in RIVALS} <= set(ATOM_KINDS)
    assert [] == [
        rival["id"] for rival in RIVALS if not rival["about"] or rival["first"]["text"] == rival["second"]["text"]
    ]


def test_the_order_of_two_claims_is_not_the_order_of_time() -> None:
    assert {rival["holds"] for rival in RIVALS if rival["label"] == "supersedes"} == {"first", "second"}


def key(pair: Row) -> tuple[str, frozenset[str]]:
    return pair["world"], frozenset((pair["left"], pair["right"]))


def groups() -> Iterator[tuple[str, set[str]]]:
    """Yields the notes of each world that are one thing, by walking the `same` pairs."""
    for world, notes in WORLDS.items():
        group = {path: {path} for path in notes}
        for pair in (pair for pair in SAME if pair["world"] == world):
            joined = group[pair["left"]] | group[pair["right"]]
            group.update(dict.fromkeys(joined, joined))
        yield from ((world, members) for path, members in group.items() if path == min(members) and len(members) > 1)


def with_sign(sign: str) -> list[Row]:
    return [pair for pair in PAIRS if sign in pair["signs"]]


def identifiers(pair: Row, side: str) -> set[str]:
    text = WORLDS[pair["world"]][pair[side]]
    return {*IDENTIFIER.findall(text), *re.findall(r"10\.5555/[\w./-]+", text)}


def aliases(pair: Row, side: str) -> set[str]:
    """Returns the names that a note gives itself, in frontmatter or as an outline property."""
    text = WORLDS[pair["world"]][pair[side]]
    stated = re.findall(r"^aliases:+ *\[?([^\]\n]*)", text, re.M)
    return {name.strip().casefold() for line in stated for name in line.split(",") if name.strip()}


def links(text: str) -> set[str]:
    return {
        target.split("#")[0].split("/")[-1].strip(" \\").casefold() for target in re.findall(r"\[\[([^\]|]+)", text)
    }


def stem(path: str) -> str:
    return Path(path).stem.casefold()


def overlap(text: str, one: str, other: str) -> bool:
    start, begin = text.find(one), text.find(other)
    return start < begin + len(other) and begin < start + len(one)
