#!/usr/bin/env python3
"""Checks that what the documents name exists: links, anchors, paths, ./dev commands, presets, rooms.

usage: check_documents.py [--write | --self-test]

Read are README.md, ARCHITECTURE.md, CONTRIBUTING.md, CHANGELOG.md and docs/**/*.md. The table of rooms in
ARCHITECTURE.md, between the markers `<!-- rooms -->` and `<!-- /rooms -->`, must agree with CMakeLists.txt;
--write brings its column "knows" up to date.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
FILE_ENDINGS = (".h", ".cc", ".py", ".md", ".cmake", ".txt", ".json", ".in")
# Where a path may start that does not start at the root: the ways in which sources include headers.
PREFIXES = ("", "src", "include", "include/lockstep")
# Written by the build or by a program that runs; never in the tree.
GENERATED = ("build",)


def documents(root):
    found = [root / name for name in DOCUMENTS if (root / name).exists()]
    return found + sorted((root / "docs").rglob("*.md"))


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    slugs = {}
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", without_fences(text), re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        slugs[slug] = slugs.get(slug, 0) + 1
    return {f"{slug}-{i}" if i else slug for slug, count in slugs.items() for i in range(count)}


def without_fences(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def link_faults(document, text, root):
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", without_fences(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (document.parent / name) if name else document
        if not path.exists():
            yield f"the link {target} leads to no file"
        elif root.resolve() not in (path.resolve(), *path.resolve().parents):
            yield f"the link {target} leads out of the tree"
        elif anchor and anchor not in anchors(path.read_text()):
            yield f"the link {target} leads to no heading"


def looks_like_path(token, root):
    if "/" not in token or not re.fullmatch(r"[\w.\-/*{},]+", token) or token[0] in "/~":
        return False
    first = token.split("/")[0]
    if first in GENERATED or first == "..":
        return False
    return token.endswith(FILE_ENDINGS) or (root / first).exists()


def path_exists(token, root):
    """True for a file or folder; ROOM or NAME in a path stands for anything, {a,b} for each of them."""
    braces = re.search(r"\{([^}]*)\}", token)
    if braces:
        return all(path_exists(token.replace(braces.group(0), part), root)
                   for part in braces.group(1).split(","))
    pattern = re.sub(r"[A-Z][A-Z_]{2,}(?!\w*\.md|\w*\.txt)", "*", token) if not (root / token).exists() else token
    return any(True for prefix in PREFIXES for _ in (root / prefix).glob(pattern.rstrip("/")))


def path_faults(text, root):
    for token in re.findall(r"`([^`\s]+)`", without_fences(text)):
        token = re.sub(r":\d+$", "", token.removeprefix("./"))
        if looks_like_path(token, root) and not path_exists(token, root):
            yield f"no such path: {token}"


def command_faults(text, commands):
    for words in re.findall(r"\./dev +([a-z][a-z|-]*)", text):
        for word in words.split("|"):
            if word and word not in commands:
                yield f"no such command: ./dev {word}"


def preset_faults(text, presets):
    for words in re.findall(r"--preset[ =]([\w|]+)", text):
        for word in words.split("|"):
            if word != "PRESET" and word not in presets:
                yield f"no such preset: {word}"


def commands_of(root):
    shown = subprocess.run([root / "dev", "help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z][a-z-]*)", shown, re.M))


def presets_of(root):
    presets = json.loads((root / "CMakePresets.json").read_text())["configurePresets"]
    return {preset["name"] for preset in presets if not preset.get("hidden")}


def rooms_of(root):
    """{room: rooms it names as known}, in the order of CMakeLists.txt."""
    text = re.sub(r"#.*", "", (root / "CMakeLists.txt").read_text())
    found = re.findall(r"lockstep_room\((\w+)(?:\s+KNOWS\s+([\w\s]+?))?\s*\)", text)
    return {name: knows.split() for name, knows in found}


TABLE = re.compile(r"(<!-- rooms -->\n(?:\|.*\n){2})((?:\|.*\n)*)(<!-- /rooms -->)")


def written_row(name, purpose, knows):
    return f"| {name} | {purpose} | {', '.join(knows) or '–'} |\n"


def room_faults(text, rooms):
    table = TABLE.search(text)
    if not table:
        yield "the table of rooms between <!-- rooms --> and <!-- /rooms --> is missing"
        return
    rows = [row.strip("|\n ").split(" | ") for row in table.group(2).splitlines()]
    if [row[0] for row in rows] != list(rooms):
        yield f"the table of rooms has {[row[0] for row in rows]}, CMakeLists.txt has {list(rooms)}"
        return
    for row, line in zip(rows, table.group(2).splitlines(keepends=True)):
        if line != written_row(row[0], row[1], rooms[row[0]]):
            yield f"the row of room {row[0]} is out of date; run tools/check_documents.py --write"


def write_rooms(root):
    path, rooms = root / "ARCHITECTURE.md", rooms_of(root)
    text = path.read_text()
    table = TABLE.search(text)
    purposes = dict(row.strip("|\n ").split(" | ")[:2] for row in table.group(2).splitlines())
    rows = "".join(written_row(name, purposes.get(name, "(say what lives there)"), rooms[name]) for name in rooms)
    path.write_text(text[:table.start(2)] + rows + text[table.end(2):])
    return 0


def faults(root):
    """(document, fault) for everything that is named and does not exist."""
    commands, presets = commands_of(root), presets_of(root)
    for name in DOCUMENTS:
        if not (root / name).exists():
            yield name, "the document is missing"
    for document in documents(root):
        text = document.read_text()
        found = [*link_faults(document, text, root), *path_faults(text, root),
                 *command_faults(text, commands), *preset_faults(text, presets)]
        if document.name == "ARCHITECTURE.md":
            found += room_faults(text, rooms_of(root))
        for fault in found:
            yield document.relative_to(root), fault


def check(root):
    count = 0
    for count, (document, fault) in enumerate(faults(root), 1):
        print(f"check_documents: {document}: {fault}")
    print(f"{len(documents(root))} documents, {count} faults")
    return 1 if count else 0


def self_test(root):
    """Puts one fault of each kind into a copy of the tree's outside, and expects exactly that one."""
    seeds = [("[x](docs/absent.md)\n", "leads to no file"), ("[x](#no-such-heading)\n", "no heading"),
             ("see `src/base/absent.cc`\n", "no such path"), ("see `base/absent.h`\n", "no such path"),
             ("see `src/{base,absent}`\n", "no such path"),
             ("run `./dev dance`\n", "no such command: ./dev dance"),
             ("```\n./dev test|dance\n```\n", "no such command: ./dev dance"),
             ("`cmake --preset imagined`\n", "no such preset")]
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "tree"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns("build", ".git", ".cache"))
        before = set(faults(copy))
        readme = copy / "README.md"
        original = readme.read_text()
        for addition, expected in seeds:
            readme.write_text(original + addition)
            new = [fault for _, fault in set(faults(copy)) - before]
            assert len(new) == 1 and expected in new[0], (addition, new)
        readme.write_text(original)
        cmake = copy / "CMakeLists.txt"
        cmake.write_text(cmake.read_text() + "\nlockstep_room(invented KNOWS base)\n")
        assert any("table of rooms" in fault for _, fault in faults(copy)), "a room without a row must fail"
        write_rooms(copy)
        assert set(faults(copy)) == before, "--write must mend the table"
        (copy / "CHANGELOG.md").unlink()
        assert any("missing" in fault for _, fault in faults(copy)), "a missing document must fail"
    return 0


if __name__ == "__main__":
    ROOT = pathlib.Path(__file__).resolve().parents[1]
    if "--self-test" in sys.argv:
        sys.exit(self_test(ROOT))
    sys.exit(write_rooms(ROOT) if "--write" in sys.argv else check(ROOT))
