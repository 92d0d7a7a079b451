"""A new vault, an adopted folder, and the owner in brain.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brain.config import load_config
from brain.errors import UsageError
from brain.vault.template import init_vault, template_folder, write_owner


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_new_vault_is_the_template_and_a_folder_for_state(tmp_path: Path) -> None:
    written = init_vault(tmp_path / "a" / "b", adopt=False)
    made = files(tmp_path / "a" / "b")
    assert sorted(made) == list(written)
    template = {path: data for path, data in files(template_folder()).items() if not path.endswith(".gitkeep")}
    assert {path: data for path, data in made.items() if not path.startswith(".brain/")} == template
    assert all((tmp_path / "a" / "b" / folder).is_dir() for folder in ("Inbox", "Memory", "Timeline"))


def test_the_journal_is_kept_by_git_and_the_rest_of_the_state_is_not(tmp_path: Path) -> None:
    init_vault(tmp_path, adopt=False)
    ignored = (tmp_path / ".brain" / ".gitignore").read_text("utf-8").split()
    assert {"index/", "cache/", "lock", "maintain.lock", "maintain.log"} <= set(ignored)
    assert not any("journal" in line for line in ignored)


@pytest.mark.parametrize("content", ["Mine.md", ".hidden", "folder/x"])
def test_a_folder_with_anything_in_it_is_refused_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    (tmp_path / content).parent.mkdir(exist_ok=True)
    (tmp_path / content).write_text("x", "utf-8")
    with pytest.raises(UsageError, match="not empty") as caught:
        init_vault(tmp_path, adopt=False)
    assert "--adopt" in caught.value.cure
    assert files(tmp_path) == {content: b"x"}


@pytest.mark.parametrize("place", ["sub", "sub/deeper", "made"])
def test_a_folder_inside_a_vault_is_no_second_one_unless_it_is_to_be_adopted(tmp_path: Path, place: str) -> None:
    (tmp_path / "vault" / "made").mkdir(parents=True)
    (tmp_path / "vault" / "brain.toml").write_text("", "utf-8")
    inner = tmp_path / "vault" / place
    with pytest.raises(UsageError, match="lies inside the vault") as caught:
        init_vault(inner, adopt=False)
    assert f'brain init --adopt "{inner}"' in caught.value.cure
    assert files(tmp_path) == {"vault/brain.toml": b""} and not (tmp_path / "vault" / "sub").exists()
    assert init_vault(inner, adopt=True) == (".brain/.gitignore", "brain.toml")


def test_adopting_adds_settings_and_state_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "Home.md").write_bytes(b"mine\r\n")
    assert init_vault(tmp_path, adopt=True) == (".brain/.gitignore", "brain.toml")
    assert files(tmp_path).keys() == {"Home.md", ".brain/.gitignore", "brain.toml"}
    assert (tmp_path / "Home.md").read_bytes() == b"mine\r\n"


def test_adopting_keeps_settings_that_are_there_and_does_it_once(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_bytes(b'owner = "Me"\n')
    assert init_vault(tmp_path, adopt=True) == (".brain/.gitignore",)
    assert init_vault(tmp_path, adopt=True) == ()
    assert (tmp_path / "brain.toml").read_bytes() == b'owner = "Me"\n'


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_place_that_is_no_folder_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(UsageError):
        init_vault(tmp_path / place, adopt=False)
    assert files(tmp_path) == {"file": b"x"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'owner = "Ada"\n'),
        ("# hello\nzone = 'UTC'\n", 'owner = "Ada"\n# hello\nzone = \'UTC\'\n'),
        ('# owner = "You"   # the person\n', 'owner = "Ada"   # the person\n'),
        ("owner='You' # me\n", 'owner = "Ada" # me\n'),
        ('# owner = "You"\n# more\nowner = "Me"\n', '# owner = "You"\n# more\nowner = "Ada"\n'),
        ('# owner = "You"\r\nzone = "UTC"\r\n', 'owner = "Ada"\r\nzone = "UTC"\r\n'),
        ('zone = "UTC"\r\n', 'owner = "Ada"\r\nzone = "UTC"\r\n'),
        ('[folders]\ninbox = "In"\n', 'owner = "Ada"\n[folders]\ninbox = "In"\n'),
        ('# [folders]\n# owner = "no" # x', '# [folders]\nowner = "Ada" # x'),
        ('owner = "A \\" # b" # c', 'owner = "Ada" # c'),
        ('exclude = [\n  "a",\n]\n', 'owner = "Ada"\nexclude = [\n  "a",\n]\n'),
    ],
)
def test_the_owner_takes_one_line_and_every_other_byte_stays(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "brain.toml").write_bytes(before.encode())
    assert write_owner(tmp_path, " Ada ") == "Ada"
    assert (tmp_path / "brain.toml").read_bytes() == after.encode()
    assert load_config(tmp_path, environ={}).owner == "Ada"
    write_owner(tmp_path, "Ada")
    assert (tmp_path / "brain.toml").read_bytes() == after.encode()


def test_a_file_that_names_the_owner_in_another_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text('owner = """\nMe"""\n', "utf-8")
    with pytest.raises(UsageError, match="cannot tell where"):
        write_owner(tmp_path, "Ada")
    assert (tmp_path / "brain.toml").read_text("utf-8") == 'owner = """\nMe"""\n'


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x1b[31m", "a\x7f", "a\x85b", "\udce9"])
def test_a_name_that_is_no_line_of_text_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        write_owner(tmp_path, name)
    assert files(tmp_path) == {}


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=30))
def test_any_name_comes_back_as_it_was_given(tmp_path: Path, name: str) -> None:
    assume(name.strip())
    (tmp_path / "brain.toml").write_bytes((template_folder() / "brain.toml").read_bytes())
    write_owner(tmp_path, name)
    assert tomllib.loads((tmp_path / "brain.toml").read_text("utf-8")) == {"owner": name.strip()}
