"""Shows and runs SavedModels: `python -m lockstep.saved_model_cli show|run --dir FOLDER`, with the arguments of TensorFlow's command
`saved_model_cli`."""

import argparse as _argparse
import ast as _ast
import os as _os
import sys as _sys


def _parser():
    parser = _argparse.ArgumentParser(prog="saved_model_cli", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    show = commands.add_parser("show", help="print what a SavedModel has: tags, signatures, functions, variables")
    run = commands.add_parser("run", help="call a signature and print its outputs")
    for one in (show, run):
        one.add_argument("--dir", required=True, help="the folder of the SavedModel")
        one.add_argument("--tag_set", help="tags of the MetaGraphDef, with commas between them")
        one.add_argument("--signature_def", help="the name of a signature")
    show.add_argument("--all", action="store_true", help="print all signatures, functions and variables")
    run.add_argument("--inputs", default="", help="NAME=FILE.npy or NAME=FILE.npz[KEY], with ; between them")
    run.add_argument("--input_exprs", default="", help="NAME=VALUE, where VALUE is a number, a text or nested lists of them, with ; between them")
    run.add_argument("--outdir", help="a folder in which each output is saved as NAME.npy")
    run.add_argument("--overwrite", action="store_true", help="whether files in --outdir are replaced")
    return parser


def _shape(proto):
    return "unknown_rank" if proto.unknown_rank else "(" + ", ".join(str(one.size) for one in proto.dim) + ")"


def _print_signature(name, signature, indent):
    from ._messages import _text_of
    for title, values in (("inputs", signature.inputs), ("outputs", signature.outputs)):
        print(f"{indent}The given SavedModel SignatureDef contains the following {title[:-1]}(s):")
        for key in sorted(values):
            info = values[key]
            print(f"{indent}  {title}['{key}'] tensor_info:")
            print(f"{indent}      dtype: {_text_of('type', info.dtype) if info.dtype else 'DT_INVALID'}")
            print(f"{indent}      shape: {_shape(info.tensor_shape)}")
            print(f"{indent}      name: {info.name}")
    print(f"{indent}Method name is: {signature.method_name}")


def _show(given):
    from . import saved_model
    from ._saved_model import _files
    path, _ = _files.paths_of(given.dir)
    model = _files.read(given.dir)
    tags = None if given.tag_set is None else given.tag_set.split(",")
    if tags is None and not given.all:
        print(f"The given SavedModel {given.dir} contains the following tag-sets:")
        for meta in model.meta_graphs:
            print(", ".join(f"'{one}'" for one in sorted(meta.meta_info_def.tags)))
        return
    meta = _files.meta_graph_of(model, tags, path)
    if given.signature_def is not None:
        if given.signature_def not in meta.signature_def:
            raise ValueError(f"[saved_model_cli] --signature_def must be one of {sorted(meta.signature_def)}; got {given.signature_def!r}")
        _print_signature(given.signature_def, meta.signature_def[given.signature_def], "")
        return
    print(f"MetaGraphDef with tag-set: '{', '.join(sorted(meta.meta_info_def.tags))}' contains the following SignatureDefs:")
    for name in sorted(meta.signature_def):
        print(f"\nsignature_def['{name}']:" if given.all else f"SignatureDef key: \"{name}\"")
        if given.all:
            _print_signature(name, meta.signature_def[name], "  ")
    if given.all:
        _print_functions(saved_model.load(given.dir, tags))


def _print_functions(loaded):
    from ._function import Function
    from ._saved_model._objects import ObjectGraph
    objects = ObjectGraph(loaded).objects
    print("\nConcrete Functions:")
    for one in objects:
        if isinstance(one.value, Function):
            print(f"  Function Name: '{one.path.replace('/', '.')}'")
            for place, concrete in enumerate(one.value._known(), 1):
                args, kwargs = concrete.structured_input_signature
                print(f"    Option #{place}\n      Callable with:")
                for number, value in enumerate(args, 1):
                    print(f"        Argument #{number}: {value}")
                for name, value in kwargs.items():
                    print(f"        Named Argument {name}: {value}")
    print("\nVariables:")
    for one in objects:
        if hasattr(one.value, "assign"):
            print(f"  {one.path}: {one.value.dtype.name} {one.value.shape}{'' if one.value.trainable else ', not trainable'}")


def _inputs(given):
    """{name: array} of files and expressions. Raises: ValueError for others."""
    import numpy
    made = {}
    for one in filter(None, given.inputs.split(";")):
        name, equals, path = one.partition("=")
        path, _, key = path.partition("[")
        if not equals:
            raise ValueError(f"[saved_model_cli] --inputs must be NAME=FILE; got {one!r}")
        held = numpy.load(path, allow_pickle=False)
        made[name.strip()] = held[key.rstrip("]") or held.files[0]] if hasattr(held, "files") else held
    for one in filter(None, given.input_exprs.split(";")):
        name, equals, text = one.partition("=")
        try:
            made[name.strip()] = _ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError(f"[saved_model_cli] --input_exprs must be NAME=VALUE with numbers, texts and lists; got {one!r}") from error
        if not equals:
            raise ValueError(f"[saved_model_cli] --input_exprs must be NAME=VALUE; got {one!r}")
    return made


def _run(given):
    import numpy
    from ._tensor import convert_to_tensor
    from .saved_model import load
    loaded = load(given.dir, None if given.tag_set is None else given.tag_set.split(","))
    name = given.signature_def or "serving_default"
    if name not in loaded.signatures:
        raise ValueError(f"[saved_model_cli] --signature_def must be one of {sorted(loaded.signatures)}; got {name!r}")
    signature = loaded.signatures[name]
    dtypes = {key: one.dtype for key, one in signature.structured_input_signature[1].items()}
    inputs = _inputs(given)
    outputs = signature(**{key: convert_to_tensor(one, dtype=dtypes.get(key)) for key, one in inputs.items()})
    for key in sorted(outputs):
        value = outputs[key].numpy()
        print(f"Result for output key {key}:\n{value}")
        if given.outdir is not None:
            path = _os.path.join(given.outdir, key + ".npy")
            if _os.path.exists(path) and not given.overwrite:
                raise ValueError(f"[saved_model_cli] the file {path} is there; give --overwrite")
            _os.makedirs(given.outdir, exist_ok=True)
            numpy.save(path, value, allow_pickle=False)


def main(arguments=None):
    """Carries out a command. Returns: the exit status."""
    given = _parser().parse_args(arguments)
    try:
        {"show": _show, "run": _run}[given.command](given)
    except (OSError, ValueError, TypeError, KeyError, NotImplementedError, RuntimeError) as error:
        print(f"saved_model_cli: {error}", file=_sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    _sys.exit(main())
