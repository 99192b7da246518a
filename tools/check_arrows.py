#!/usr/bin/env python3
"""Fails on an include that the rooms of CMakeLists.txt do not allow.

usage: check_arrows.py [--root DIR] [--self-test]

Each `lockstep_room(NAME KNOWS a b)` line lets files of src/NAME/ and include/lockstep/NAME/ include
`"NAME/..."`, `"lockstep/NAME/..."` and those of every room it knows, directly or through another.
Public headers (include/) may include public headers only. Quoted names that are neither a room's nor
a file of the tree belong to other projects and pass. Prints `file:line: broken rule`, exits 1.
"""
import argparse
import pathlib
import re
import sys
import tempfile

SOURCES = {".h", ".hpp", ".cc", ".cpp", ".inc"}
ROOM = re.compile(r"^\s*lockstep_room\(\s*(\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(lockstep/[^>]+)>)')


def read_rooms(cmake_text):
    """Returns {room: every room it knows, itself included} and a list of broken rules."""
    text = re.sub(r"#[^\n]*", "", cmake_text)
    direct, errors = {}, []
    for match in ROOM.finditer(text):
        name, words = match.group(1), match.group(2).split()
        if words and words[0] != "KNOWS":
            errors.append(f"CMakeLists.txt:1: lockstep_room({name}) must list rooms after KNOWS; got {words}")
            continue
        if name in direct:
            errors.append(f"CMakeLists.txt:1: room {name} is declared twice")
        for known in words[1:]:
            if known not in direct:
                errors.append(f"CMakeLists.txt:1: room {name} knows {known}, which no line above it declares")
        direct[name] = words[1:]
    knows = {}
    for name, rooms in direct.items():  # a room only knows rooms above it: one pass is transitive
        knows[name] = {name}.union(*(knows.get(room, {room}) for room in rooms))
    return knows, errors


def room_of(path):
    """Returns (room or None, whether the file is public)."""
    parts = path.parts
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else None, False
    return parts[2] if len(parts) > 3 else None, True


def check_include(name, room, public, knows, is_ours):
    """Returns the broken rule, or None; `is_ours` says whether the name is a file of this tree."""
    parts = name.split("/")
    if parts[0] == "lockstep":
        target = parts[1] if len(parts) > 2 else None
        if target is None:
            return None if room is None else f'only programs may include the whole surface "{name}"'
    elif public:
        return f'a public header may include only "lockstep/..."; got "{name}"'
    else:
        target = parts[0]
        if target not in knows and not is_ours(name):
            return None
    if target not in knows:
        return f'an include must start with a room of CMakeLists.txt; got "{name}"'
    if room is not None and target not in knows[room]:
        return f"room {room} does not know room {target}; got \"{name}\" (known: {' '.join(sorted(knows[room]))})"
    return None


def check(root):
    knows, errors = read_rooms((root / "CMakeLists.txt").read_text())
    if not knows:
        errors.append("CMakeLists.txt:1: no lockstep_room(...) line found")
    files = 0
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            relative = path.relative_to(root)
            room, public = room_of(relative)
            if room is not None and room not in knows:
                errors.append(f"{relative}:1: folder {room} is no room of CMakeLists.txt")
                continue
            files += 1
            places = (path.parent, root / "src", root / "include")
            is_ours = lambda name: any((place / name).exists() for place in places)
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                rule = match and check_include(match.group(1) or match.group(2), room, public, knows, is_ours)
                if rule:
                    errors.append(f"{relative}:{number}: {rule}")
    return errors, files, len(knows)


def self_test():
    """Shows on temporary trees that each rule can fail and that a right tree passes."""
    cmake = "lockstep_room(base)\nlockstep_room(net KNOWS base)\nlockstep_room(sum KNOWS net)\n"
    cases = [  # (path, line, must fail)
        ("src/sum/a.cc", '#include "base/x.h"', False),
        ("src/sum/a.cc", '#include "lockstep/base/x.h"', False),
        ("src/sum/a_test.cc", '#include "sum/a.h"', False),
        ("src/sum/a.cc", "#include <vector>", False),
        ("src/base/a.cc", '// #include "sum/x.h"', False),
        ("src/base/a.cc", '#include "net/x.h"', True),
        ("src/base/a_test.cc", '#include "net/x.h"', True),
        ("src/net/a.h", '#  include "lockstep/sum/x.h"', True),
        ("src/net/a.h", "#include <lockstep/sum/x.h>", True),
        ("src/net/a.h", '#include "a.h"', True),
        ("src/net/a.h", '#include "net.h"', True),
        ("src/net/a.h", '#include "library/x.h"', False),
        ("src/net/a.h", '#include "library.h"', False),
        ("src/misc/a.h", "", True),
        ("include/lockstep/net/a.h", '#include "lockstep/base/x.h"', False),
        ("include/lockstep/net/a.h", '#include "base/x.h"', True),
        ("include/lockstep/net/a.h", '#include "net/x.h"', True),
        ("include/lockstep/net/a.h", '#include "lockstep/sum/x.h"', True),
        ("include/lockstep/lockstep.h", '#include "lockstep/sum/x.h"', False),
        ("include/lockstep/lockstep.h", '#include "sum/x.h"', True),
    ]
    trees = [(cmake, path, line, fails) for path, line, fails in cases]
    trees.append(("lockstep_room(base KNOWS net)\nlockstep_room(net KNOWS base)\n", "src/base/a.h", "", True))
    trees.append(("", "src/base/a.h", "", True))
    wrong = 0
    for text, path, line, must_fail in trees:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(text)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(f"#pragma once\n{line}\n")
            (root / "src").mkdir(exist_ok=True)
            (root / "src" / "net.h").write_text("#pragma once\n")
            errors, _, _ = check(root)
            if bool(errors) != must_fail:
                wrong += 1
                print(f"self-test: {path} with `{line}` must {'fail' if must_fail else 'pass'}; got {errors}")
            if must_fail and line and errors and not errors[0].startswith((f"{path}:2:", f"{path}:1:")):
                wrong += 1
                print(f"self-test: the place of `{line}` must be {path}:2; got {errors[0]}")
    print(f"check_arrows self-test: {len(trees)} trees, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    errors, files, rooms = check(arguments.root)
    print("\n".join(errors + [f"check_arrows: {files} files, {rooms} rooms, {len(errors)} broken"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
