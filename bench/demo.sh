#!/usr/bin/env bash
# The main job on a real vault, from an empty folder to an undone run. Needs `brain` on the PATH.
# Prints each command before its output; stops at the first one that fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vault="$work/millrace"
export BRAIN_VAULT="$vault" HF_HUB_OFFLINE=1 NO_COLOR=1
export XDG_STATE_HOME="$work/state" XDG_DATA_HOME="$work/data" XDG_CONFIG_HOME="$work/config"

say() { printf '\n### %s\n' "$*"; }
run() { printf '\n$ %s\n' "$*"; "$@"; }
# For commands that answer with exit code 1 when they found something.
finds() { printf '\n$ %s\n' "$*"; "$@" || { code=$?; [ "$code" -eq 1 ] || exit "$code"; echo "(exit $code: it found something)"; }; }
checksums() { (cd "$vault" && find . -name '*.md' -type f -exec cksum {} +) | sort; }
say "A folder of notes that brain has never seen: adopt it and index it"
cp -R "$here/sample" "$vault"
checksums > "$work/before"
run brain init "$vault" --adopt
run brain setup --name "Ines Falk"
run brain index
checksums > "$work/indexed"
if [ -n "$(comm -23 "$work/before" "$work/indexed")" ]; then echo "a note has changed" >&2; exit 1; fi
echo "(no note that was there has changed by a byte)"

say "Search by words and by meaning"
run brain search "bearing noise"
run brain search "how do we keep leaves out of the inlet" --limit 3 --explain

say "Look around"
run brain get "Controller"
run brain links "Millrace"
finds brain doctor

say "Three sessions wait in the inbox. Add what was just said, and look at what the walk would write"
run brain add "Decided: [[Generator]] gets new bearings before the first test run." --no-walk
run brain add "Fact: [[Plan]] is two weeks late." --no-walk
run brain walk --dry-run
run brain walk

say "Find duplicates and relations, the same way"
run brain reconcile --dry-run
run brain reconcile
run brain link
run brain tree

say "Ask in Cypher"
run brain cypher "MATCH (a:Atom)-[:ABOUT]->(n:Note) RETURN n.title, a.kind, a.text ORDER BY n.title, a.text LIMIT 12"
run brain cypher "MATCH (a:Note)-[e:EDGE]->(b:Note) RETURN e.type, count(*) AS edges ORDER BY edges DESC, e.type LIMIT 8" --format json

say "Why does it stand there? What waits for a person?"
run brain runs
run brain explain "Generator"
run brain review

say "Take the last run back"
run brain undo

say "Everything derived can be thrown away"
run brain index
brain export --format jsonl --now 2026-12-31T00:00:00Z > "$work/first.jsonl"
rm -rf "$vault/.brain/index"
run brain rebuild
brain export --format jsonl --now 2026-12-31T00:00:00Z > "$work/second.jsonl"
cmp "$work/first.jsonl" "$work/second.jsonl"
echo "(before and after: the same export, $(wc -l < "$work/second.jsonl" | tr -d ' ') lines)"
run brain status

say "The same with a language model: here a program that replays what a reader once answered to these very prompts"
vault="$work/judged"
export BRAIN_VAULT="$vault"
cp -R "$here/sample" "$vault"
brain init "$vault" --adopt > /dev/null
brain setup --name "Ines Falk" > /dev/null
brain index > /dev/null
export LLM_COMMAND="${LLM_COMMAND:-$(command -v python3) \"$here/replay.py\" \"$here/replies.jsonl\"}"
run brain maintain --estimate
run brain walk
run brain reconcile
run brain link
run brain tree --depth 3
run brain review
run brain runs
run brain undo
