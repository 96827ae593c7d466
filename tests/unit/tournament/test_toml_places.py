from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from harness.tournament.toml_places import KeyPath, format_path, key_lines

# Each key is named after the line on which it stands.
DOCUMENT = """\
# comment with [brackets] and = signs
l2 = "a # no comment ] } , \\" [x]"
'l3' = 'C:\\'
"l4" = [ 1, [2, 3], # ] }
  { l5 = 1 }, { l5b = { l5c = [] } },
]
l7 = \"\"\"
l8 = "not a key" [[neither]]
\\\"\"\" still\"\"\"\"\"
l10 = '''
[l11]
it's''''
l13.sub . "d.ots" = 1979-05-27 07:32:00Z # end
[ l14 . l14b ]
l15 = { l15b = 'x, }', l15c = -inf }

[[l17]]
l18 = 0x_ff
[l17.l19]
l20 = true
[[l17.l21]]
l22 = ""
[[l17.l21]]
l24 = ''
[[l17]]
l26 = \"\"\"\"\"\"
l27 = "last"
""".replace("0x_ff", "0xff")


def flatten(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        yield (*path, key)
        yield from flatten(inner, (*path, key))


def test_every_key_of_a_nasty_document_is_found_on_its_line() -> None:
    lines = key_lines(DOCUMENT)
    for path in flatten(tomllib.loads(DOCUMENT)):
        if isinstance(path[-1], str) and path[-1].startswith("l"):
            assert lines[path] == int(path[-1].strip("labcdefgh")), path
        else:
            assert path in lines, path
    assert lines["l13", "sub", "d.ots"] == 13
    assert lines["l17", 1] == 25
    assert lines["l17", 0, "l21", 1] == 23
    assert lines["l4", 2] == 5


def test_nothing_is_invented() -> None:
    found = set(key_lines(DOCUMENT))
    assert found <= set(flatten(tomllib.loads(DOCUMENT)))


def test_an_empty_document_has_no_keys() -> None:
    assert key_lines("") == {}
    assert key_lines("# only a comment") == {}


def test_paths_for_people_count_from_one() -> None:
    assert format_path(("bot", 1, "options", "Seed")) == "bot[2].options.Seed"
    assert format_path(("a b",)) == "'a b'"
    assert format_path(()) == ""
