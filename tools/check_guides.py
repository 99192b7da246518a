#!/usr/bin/env python3
"""Runs every example of docs/guides/*.md and compares what it prints with what the guide says.

usage: check_guides.py [--write] [--kind python|shell] [--build DIR] [--python PYTHON] [--package DIR] [GUIDE...]
       check_guides.py --self-test

How a guide is written:

  ```python             runs by itself, in an empty folder that the examples of the guide share. The first line
                        `# continues` continues the block before; `# file: NAME` is not run but kept as a file
                        of that name, for a later block to use
  ```sh                 runs by `sh -e`, with `lockstep` and `python` in PATH. The first line `# continues` says
                        that it uses what Python before it has left in the folder
  ```text               follows a block that runs, and is what that prints on standard output
  <!-- from PATH -->    before ```cpp: the block is lines of this file

Nothing else may stand in fences. Ports of localhost are exchanged for free ones, and back in what is printed;
the folder's name is left out of it.
--kind takes the examples that need the Python package, or those that do not. Without --kind both run, and
those that need what is not built are skipped, and counted. Exits 77 where all are skipped. --write puts what
is printed into the guides."""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = 77
SECONDS = 120
MARK = "-- the next example --"
FENCE = re.compile(r"(?:^<!-- from (?P<source>[^\s>]+) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)


class Block:
    """A fenced block: its language, text, line in the guide, and the text block that says what it prints."""

    def __init__(self, match, text):
        self.language, self.code, self.source = match["language"], match["code"], match["source"]
        self.line = text.count("\n", 0, match.start("code")) + 1
        self.start, self.end = match.start("code"), match.end()
        self.expected = None
        first = self.code.split("\n", 1)[0]
        self.continues = first == "# continues"
        self.file = first.removeprefix("# file: ") if first.startswith("# file: ") else None


def blocks_of(text):
    """(the blocks of a guide, faults of their form)"""
    blocks, faults, last = [], [], None
    for block in (Block(match, text) for match in FENCE.finditer(text)):
        between = text[last.end:block.start].strip() if last else "x"
        if block.language == "text":
            if between != "```text" or last.language not in ("python", "sh") or last.file:
                faults.append(f"line {block.line}: what is printed must follow at once on a block that runs")
            else:
                last.expected = block
        elif block.language not in ("python", "sh", "cpp"):
            faults.append(f"line {block.line}: a block of '{block.language}' is not checked; write python, sh, cpp or text")
        elif block.language == "cpp" and not block.source:
            faults.append(f"line {block.line}: write <!-- from PATH --> before a block of C++")
        else:
            blocks.append(block)
        last = block
    for number, block in enumerate(blocks):
        if block.file and not any(block.file in later.code for later in blocks[number + 1:]):
            faults.append(f"line {block.line}: no example uses the file {block.file}")
        if block.continues and (block.language not in ("python", "sh") or not any(
                before.language == "python" and not before.file for before in blocks[:number])):
            faults.append(f"line {block.line}: nothing stands before that this block could continue")
    return blocks, faults


def quotation_fault(block, root):
    path = root / block.source
    if not path.is_file():
        return f"no such file: {block.source}"
    # At whatever depth: the quotation has lost the indentation that all its lines have in common.
    lines, wanted = path.read_text().splitlines(), block.code.splitlines()
    for start in range(len(lines) - len(wanted) + 1):
        if textwrap.dedent("\n".join(lines[start:start + len(wanted)])) == "\n".join(wanted):
            return None
    return f"these are no lines of {block.source}"


def example_chains(blocks):
    """Lists of blocks that run as one program."""
    chains = []
    for block in blocks:
        if block.language == "cpp" or block.file:
            continue
        if block.continues and block.language == "python":
            next(chain for chain in reversed(chains) if chain[0].language == "python").append(block)
        else:
            chains.append([block])
    return chains


class Ports:
    """Free ports in the place of those that a guide names."""

    def __init__(self, text):
        with contextlib.ExitStack() as stack:
            self.free = {}
            for port in sorted(set(re.findall(r"(?:localhost|127\.0\.0\.1):(\d+)", text))):
                taken = stack.enter_context(socket.socket())
                taken.bind(("127.0.0.1", 0))
                self.free[port] = str(taken.getsockname()[1])

    def there(self, text):
        return self.exchange(text, self.free)

    def back(self, text):
        return self.exchange(text, {free: port for port, free in self.free.items()})

    @staticmethod
    def exchange(text, table):
        return re.sub(r"((?:localhost|127\.0\.0\.1):)(\d+)", lambda m: m[1] + table.get(m[2], m[2]), text)


class Machine:
    """Where `lockstep` and the Python package are; the reason where they are not."""

    def __init__(self, build, python=None, package=None):
        self.program = build / "lockstep"
        own = build / "python-environment" / "bin" / "python"
        self.python = pathlib.Path(python or (own if own.exists() else sys.executable))
        places = [package] if package else [build / "python", build / "python-extension" / "python"]
        self.package = next((place for place in places if list(pathlib.Path(place, "lockstep").glob("_native*.so"))), None)
        self.no_program = None if self.program.exists() else f"{self.program} is not built"
        self.no_python = "the Python package is not built" if not self.package else self.import_fault()

    def environment(self, folder):
        """Python goes by the name `python`, wherever it is."""
        link = pathlib.Path(folder, "python")
        link.write_text(f'#!/bin/sh\nexec "{self.python}" "$@"\n')
        link.chmod(0o755)
        path = os.pathsep.join([folder, str(self.program.parent), "/usr/bin", "/bin"])
        return {"PATH": path, "HOME": folder, "TMPDIR": folder, "PYTHONPATH": str(self.package or ""),
                "PYTHONDONTWRITEBYTECODE": "1"}

    def import_fault(self):
        done = subprocess.run([self.python, "-c", "import lockstep"], capture_output=True, text=True,
                              env={"PYTHONPATH": str(self.package), "PATH": "/usr/bin:/bin"})
        return f"the package cannot be imported: {done.stderr.strip().splitlines()[-1]}" if done.returncode else None


def needs_python(chain):
    return chain[0].language == "python" or chain[0].continues or any(re.search(r"\bpython\b", block.code) for block in chain)


def run_chain(chain, machine, folder, tools, ports):
    """(what each block printed, a fault or None)"""
    if chain[0].language == "python":
        path = pathlib.Path(folder, "example.py")
        path.write_text(f'\nprint("{MARK}", flush=True)\n'.join(ports.there(block.code) for block in chain))
        command = [machine.python, path.name]
    else:
        command = ["sh", "-ec", ports.there(chain[0].code)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder,
                              env=machine.environment(tools), stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return [], f"no end after {SECONDS} s"
    printed = [ports.back(part).replace(folder + "/", "") for part in done.stdout.split(MARK + "\n")]
    if done.returncode:
        return printed, f"status {done.returncode}\n{done.stderr or done.stdout}"
    return printed, None


def faults_of_chain(chain, printed, fault):
    if fault:
        yield f"line {chain[0].line}: {fault}"
        return
    for block, text in zip(chain, printed, strict=True):
        expected = block.expected.code if block.expected else ""
        if text != expected:
            yield f"line {block.line}: the guide says\n{expected}but this is printed\n{text}"


def with_output(text, printed):
    """A guide with what its blocks printed: [(block, printed)]."""
    for block, output in sorted(printed, key=lambda pair: -pair[0].start):
        if block.expected:
            text = text[:block.expected.start] + output + text[block.expected.end - 3:]
        elif output:
            text = text[:block.end] + f"\n\n```text\n{output}```" + text[block.end:]
    return text


def check_guide(path, machine, kind, write, root=ROOT):
    """(faults, number of examples that ran, reasons of those that were skipped)"""
    text = path.read_text()
    blocks, faults = blocks_of(text)
    ran, skipped, outputs = 0, [], []
    for block in blocks:
        if block.language == "cpp" and kind != "python":
            ran += 1
            fault = quotation_fault(block, root)
            faults += [f"line {block.line}: {fault}"] if fault else []
    if faults:
        return faults, ran, skipped
    ports = Ports(text)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as tools:
        for block in blocks:
            if block.file:
                pathlib.Path(folder, block.file).write_text(ports.there(block.code.split("\n", 1)[1]))
        for chain in example_chains(blocks):
            if kind and kind != ("python" if needs_python(chain) else "shell"):
                continue
            reason = (machine.no_python if needs_python(chain) else None) or (
                machine.no_program if chain[0].language == "sh" else None)
            if reason:
                skipped += [reason] * len(chain)
                continue
            ran += len(chain)
            printed, fault = run_chain(chain, machine, folder, tools, ports)
            faults += faults_of_chain(chain, printed, fault)
            outputs += zip(chain, printed)
    if write:
        path.write_text(with_output(text, outputs))
    return faults, ran, skipped


def check(guides, machine, kind=None, write=False, root=ROOT):
    count = ran = 0
    skipped = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (faults, some, reasons) in zip(guides, pool.map(
                lambda path: check_guide(path, machine, kind, write, root), guides)):
            for fault in faults:
                print(f"check_guides: {path.name}: {fault}")
            count, ran, skipped = count + len(faults), ran + some, skipped + reasons
    for reason in sorted(set(skipped)):
        print(f"SKIPPED: {skipped.count(reason)} examples: {reason}")
    print(f"{len(guides)} guides, {ran} examples, {count} faults, {len(skipped)} skipped")
    return 1 if count or not guides else SKIPPED if skipped and not ran else 0


def self_test():
    """A guide that is right passes; each fault that is put into it is found, and alone."""
    right = textwrap.dedent("""
        ```python
        x = 2
        print(x)
        ```
        ```text
        2
        ```
        ```python
        # continues
        print(x + 1)
        ```

        ```text
        3
        ```
        ```python
        # file: kept.py
        print("kept localhost:4000")
        ```
        ```sh
        python kept.py
        ```
        ```text
        kept localhost:4000
        ```
        <!-- from quoted.cc -->
        ```cpp
        int x;
          int y;
        ```
        """)
    mistakes = [("x = 2", "x = 3", "this is printed"), ("x + 1", "y + 1", "NameError"), ("int x", "int z", "no lines of"),
                ("```python\n# continues", "```ruby\n# continues", "not checked"),
                ("```python\n# continues\nprint(x + 1)", "```sh\n# continues\ncat absent", "status 1"), ("# continues\n", "", "NameError"),
                ("<!-- from quoted.cc -->\n", "", "write <!-- from"), ("python kept.py", "python lost.py", "no example uses"),
                ("quoted.cc", "absent.cc", "no such file"), ("python kept.py", "python kept.py; false", "status 1"),
                ("\n```text\n3", "\nand\n```text\n3", "must follow at once")]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        package = root / "package"
        (package / "lockstep").mkdir(parents=True)
        (package / "lockstep" / "__init__.py").touch()
        machine = Machine(root, sys.executable, package)
        assert machine.no_python and machine.no_program
        guide = root / "guide.md"
        (root / "quoted.cc").write_text("{\n  int x;\n    int y;\n}\n")
        guide.write_text(right)
        assert check_guide(guide, machine, None, False, root) == ([], 1, [machine.no_python] * 3)
        machine.program.touch()
        (package / "lockstep" / "_native.so").touch()
        machine = Machine(root, sys.executable, package)
        assert check_guide(guide, machine, None, False, root) == ([], 4, []), check_guide(guide, machine, None, False, root)
        for old, new, expected in mistakes:
            assert old in right, old
            guide.write_text(right.replace(old, new, 1))
            faults, _, _ = check_guide(guide, machine, None, False, root)
            assert faults and any(expected in fault for fault in faults), (new, faults)
        guide.write_text(right.replace("```text\n3\n```", ""))
        check_guide(guide, machine, None, True, root)
        assert check_guide(guide, machine, None, False, root)[0] == [], guide.read_text()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--kind", choices=("python", "shell"))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--python")
    parser.add_argument("--package", type=pathlib.Path)
    parser.add_argument("guides", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    guides = options.guides or sorted((ROOT / "docs" / "guides").glob("*.md"))
    machine = Machine(options.build.resolve(), options.python, options.package)
    return check(guides, machine, options.kind, options.write)


if __name__ == "__main__":
    sys.exit(main())
