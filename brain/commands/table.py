"""The table of commands: name → room of `brain.commands` and help line, in the order in which help shows them."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("vault", "Make a new vault, or adopt a folder of notes."),
    "setup": ("vault", "Say who the vault belongs to."),
    "index": ("vault", "Bring the index to what the files say."),
    "rebuild": ("vault", "Make the index anew from the notes."),
    "watch": ("vault", "Follow changes on disk."),
    "add": ("vault", "Put new words into the inbox and walk them."),
    "search": ("read", "Find notes by words and by meaning."),
    "get": ("read", "Show one note."),
    "links": ("read", "Show the links of a note, both ways."),
    "list": ("read", "List notes."),
    "tree": ("read", "Show the tree of part_of."),
    "status": ("read", "Show what the vault holds and its state."),
    "doctor": ("read", "Name everything that may want putting right."),
    "repair": ("repair", "Put right what doctor found under one code."),
    "cypher": ("cypher", "Ask the graph in Cypher (read-only)."),
    "walk": ("stages", "Turn episodes into atoms and relations."),
    "reconcile": ("stages", "Merge notes that are one thing."),
    "link": ("stages", "Write typed edges with a reason."),
    "consolidate": ("stages", "Fold what a note with many claims says twice."),
    "maintain": ("stages", "Walk, reconcile and link, in this order."),
    "schedule": ("schedule", "Run maintain every night."),
    "propose": ("propose", "Offer a note: it is compared, then written or kept aside."),
    "discards": ("propose", "Look at proposed notes that were not written."),
    "review": ("review", "Decide what waits for you."),
    "runs": ("audit", "Show what the runs of the stages did."),
    "explain": ("audit", "Say why a claim, a relation or a note stands as it does."),
    "undo": ("stages", "Take back a run or one item of it."),
    "export": ("read", "Print the graph as canonical JSON lines."),
}
