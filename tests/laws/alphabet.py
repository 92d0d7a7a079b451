"""What a person writes: texts from small alphabets that meet in names, aliases, claims and ids, with what trips a parser among them."""

from __future__ import annotations

from hypothesis import strategies as st

PLACES = [
    "Boat.md", "boat.md", "Boats.md", "a/Boat.md", "Ada Lovelace.md", "People/Ada.md", "Harbour Map.md", "Map Harbour.md", "a/Harbour Map.md",
    "Inbox/E1.md", "Inbox/E2.md", "Inbox/2026-03-04 call.md",
]  # fmt: skip
NAMES = ["Boat", "boats", "Ada", "Ada Lovelace", "Harbour Map", "E1", "Keel"]
FRONTS = [
    "", "", "", "---\ntype: episode\n---\n", "---\naliases: [Boat, Keel]\n---\n", "---\nkind: person\nalias: Ada\n---\n", "---\ndoi: 10.1000/1 # mine\n---\n",
    "---\ndoi: https://doi.org/10.1000/1\nrole: 'x'\naliases: [Bark]\n---\n", "---\ntype: entity\nkind: project\nlast_confirmed: 2024-01-01\n---\n", "---\na: b: c\n---\n",
    '---\ndistinct_from: "[[Boat]]"\n---\n', '---\nstatus: superseded\nsuperseded_by: "[[Boat]]"\n---\n',
]  # fmt: skip
LINES = [
    "Fact: [[{}]] leaks", "- **Risk:** [[{}]] sinks (from 2026-01-01)", "Decision: [[{}]] sails with [[{}]]", "[[{}]] depends_on:: [[{}]] - since today",
    "She said [part_of:: [[{}]]] of the old fleet then", "The {} waits for the {} in winter.", "See [[{}]] and `[[{}]]`.", "", "```", "%%", "words of mine",
    "The ferry timetable changes with the ice.",
]  # fmt: skip
CLAIMS = [
    "- leaks", "- (fact, verified) leaks ^a-1", "- (fact, inferred) Works at [[{}]]. (from 2026-01-01) [[E1]] ^a-2", "- (fact, inferred) Works at Acme. (from 2026-03-04) ^a-3",
    "- (fact, inferred) Lives in Graz. (from 2025-01-01) [[E1]]", "- (fact, inferred) Lives in Lisbon. (from 2026-02-02) ^a-2",
]  # fmt: skip
RELATED = ["- depends_on:: [[{}]] - so", "- part_of:: [[{}]]"]
PERSONS_IDS = frozenset({"a-1", "a-2", "a-3"})


def filled(templates: list[str], most: int, *, least: int = 0) -> st.SearchStrategy[list[str]]:
    name = st.sampled_from(NAMES)
    return st.lists(st.builds(lambda text, one, two: text.replace("{}", one, 1).replace("{}", two), st.sampled_from(templates), name, name), min_size=least, max_size=most)


TEXTS = st.builds(
    lambda front, lines, claims, ends, eol: (
        front + "\n".join([*lines, *(["## Atoms", *claims] if claims else []), *(["", "## Related", *ends] if ends else [])]) + "\n"
    ).replace("\n", eol),
    st.sampled_from(FRONTS), filled(LINES, 4, least=1), filled(CLAIMS, 3), filled(RELATED, 1), st.sampled_from(["\n", "\n", "\r\n"]),
)  # fmt: skip
