#!/usr/bin/env python3
"""Writes one C++ source that holds several, so that headers are read once for all of them.

usage: join_tests.py OUTPUT SOURCE...

Each source's unnamed namespaces get the source's name, so that equal names in two of them do not meet; errors and
__FILE__ name the source. For tests: what has a name can no longer be dropped where it is not called."""
import pathlib
import re
import sys


def named(text, name):
    """The source with names for its unnamed namespaces, which what stands behind their ends can still use."""
    opening = f"namespace {name} {{"
    behind = re.sub(r"^\}  // namespace.*$", "", text.partition("\n}  // namespace\n")[2], flags=re.M)
    if behind.strip():
        opening = f"namespace {name} {{}} using namespace {name}; {opening}"
    return re.sub(r"^namespace \{$", opening, text, flags=re.M)


def main():
    output, *sources = map(pathlib.Path, sys.argv[1:])
    if not sources:
        sys.exit("usage: join_tests.py OUTPUT SOURCE...")
    parts = []
    for source in sources:
        text = named(source.read_text(), re.sub(r"\W", "_", "of_" + source.stem))
        parts.append(f'#line 1 "{source}"\n{text}')
    output.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
