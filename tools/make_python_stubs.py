#!/usr/bin/env python3
"""Writes the stub files of the Python package, which editors and type checkers read.

usage: make_python_stubs.py --package DIR --output DIR [--check]

Imports `lockstep` from --package and writes, for each public module, its functions and classes with their
signatures and the first line of what they say of themselves. What several modules show stands in one of
them, and the others import it; a class has what it adds to its public bases. With --check nothing is
written, and a stub that differs fails."""
import argparse
import importlib
import inspect
import pathlib
import sys

MODULES = ("", "autograph", "config", "data", "debugging", "distribute", "errors", "io", "keras",
           "keras.activations", "keras.callbacks", "keras.constraints", "keras.initializers",
           "keras.layers", "keras.losses", "keras.metrics", "keras.models", "keras.optimizers",
           "keras.optimizers.schedules", "keras.regularizers", "keras.saving", "keras.utils", "image", "linalg", "math", "nest", "nn", "onnx",
           "queue", "ragged", "random", "sparse", "strings", "summary", "train")


def signature_of(function):
    """"(x, axis=None)", with defaults that are no literals as dots."""
    try:
        parameters = inspect.signature(inspect.unwrap(function)).parameters.values()
    except (TypeError, ValueError):
        return "(*args, **kwargs)"
    made = []
    for one in parameters:
        default = one.default
        if default is not one.empty and not isinstance(default, (int, float, str, bool, type(None))):
            default = ...
        if isinstance(default, (int, float)) and type(default) not in (int, float, bool):
            default = ...
        text = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "") + one.name
        if one.default is not one.empty:
            text += "=..." if default is ... else f"={default!r}"
        if one.kind is one.KEYWORD_ONLY and not any(t.startswith("*") for t in made):
            made.append("*")
        made.append(text)
    return "(" + ", ".join(made) + ")"


def first_line(thing):
    text = inspect.getdoc(thing) or ""
    return text.splitlines()[0].replace('"', "'").replace("\\", "\\\\") if text else ""


def function_text(name, function, indent=""):
    is_init = name == "__init__"
    line = first_line(function) if function.__doc__ or not is_init else ""  # not what every object says
    body = f'\n{indent}    """{line}"""\n{indent}    ...\n' if line else " ...\n"
    return f"{indent}def {name}{signature_of(function)} -> {'None' if is_init else 'Any'}:{body}"


def is_ours(value):
    return str(getattr(value, "__module__", "")).startswith("lockstep")


def public_members(module):
    """(name, value) of what a module shows, in the order of names."""
    for name in sorted(set(dir(module)) - {"Any"}):
        if not name.startswith("_") and name.isidentifier():
            try:
                yield name, getattr(module, name)
            except AttributeError:
                pass


def is_described(value):
    return is_ours(value) and (isinstance(value, type) or callable(value) and hasattr(value, "__name__"))


class Homes:
    """Where each class and function stands: in the module that makes it if that is public, else in the innermost
    one that shows it; under its own name where it has it there."""

    def __init__(self, modules):
        self.homes = {}
        for module in modules:
            for name, value in public_members(module):
                if is_described(value):
                    rank = (value.__module__ != module.__name__, -module.__name__.count("."),
                            name != value.__name__, module.__name__, name)
                    place = (rank, module.__name__, name, value)
                    self.homes[id(value)] = min(self.homes.get(id(value), place), place, key=lambda p: p[0])

    def of(self, value):
        """(module, name); None of what is ours and not public"""
        if not is_ours(value):
            return value.__module__, value.__qualname__
        home = self.homes.get(id(value))
        return home[1:3] if home else None


def bases_and_members(cls, homes):
    """The nearest public bases, and what the class and the private ones between have of their own, by name."""
    bases, members = [], dict(vars(cls))
    for base in cls.__bases__:
        if base is object:
            continue
        if homes.of(base):
            bases.append(base)
        else:
            inherited, more = bases_and_members(base, homes)
            bases += [one for one in inherited if one not in bases]
            members = {**more, **members}
    return bases, members


def class_text(name, cls, homes, module):
    bases, members = bases_and_members(cls, homes)
    places = [homes.of(base) for base in bases]
    shown = [base if home in (module, "builtins") else f"{home}.{base}" for home, base in places]
    lines = [f"import {home}\n" for home in sorted({home for home, _ in places} - {module, "builtins"})]
    lines.append(f"class {name}({', '.join(shown)}):\n" if shown else f"class {name}:\n")
    if first_line(cls):
        lines.append(f'    """{first_line(cls)}"""\n')
    count = 0
    for member, value in sorted(members.items()):
        if member.startswith("_") and member not in ("__init__", "__call__"):
            continue
        if isinstance(value, property):
            lines.append(f"    @property\n    def {member}(self) -> Any: ...\n")
            count += 1
        elif callable(value) or isinstance(value, (staticmethod, classmethod)):
            inner = getattr(value, "__func__", value)
            if isinstance(inner, type) or not hasattr(inner, "__name__") or member == "__init__" and \
                    cls.__init__ is object.__init__:
                continue
            if isinstance(value, staticmethod):
                lines.append("    @staticmethod\n")
            elif isinstance(value, classmethod):
                lines.append("    @classmethod\n")
            lines.append(function_text(member, inner, "    "))
            count += 1
    return "".join(lines + ([] if count else ["    ...\n"]))


def module_text(module, homes):
    lines = ["from typing import Any\n\n"]
    for member, value in public_members(module):
        if inspect.ismodule(value):
            if value.__name__ == f"{module.__name__}.{member}":
                lines.append(f"from . import {member} as {member}\n")
        elif is_described(value):
            home, name = homes.of(value)
            if home != module.__name__:
                lines.append(f"from {home} import {name} as {member}\n")
            elif name != member:
                lines.append(f"{member} = {name}\n")
            elif isinstance(value, type):
                lines.append(class_text(member, value, homes, home))
            else:
                lines.append(function_text(member, value))
        elif not isinstance(value, type) and not callable(value):
            lines.append(f"{member}: Any\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--package", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, options.package)
    modules = {name: importlib.import_module("lockstep" + ("." + name if name else "")) for name in MODULES}
    homes = Homes(modules.values())
    stale = []
    for name, module in modules.items():
        base = options.output / "lockstep" / pathlib.Path(*name.split(".")) if name else \
            options.output / "lockstep"
        path = base / "__init__.pyi" if base.is_dir() else base.with_suffix(".pyi")
        text = module_text(module, homes)
        if options.check:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path))
        else:
            path.write_text(text)
    for path in stale:
        print(f"make_python_stubs: {path} is not current")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
