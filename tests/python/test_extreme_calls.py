"""Every public function with extreme arguments: a result or an error of a sensible class, never a crash, a hang or much memory.

The functions are those of the modules in MODULES; their parameters come from `inspect.signature`. Each call has plausible
arguments, chosen by the parameters' names, of which one or two are replaced by extremes. The calls run in child processes with
little memory. `test_extreme_calls.py CALLS [SEED] [NAME...]` makes so many calls of each function, or of those named alone."""
import builtins
import faulthandler
import inspect
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

MODULES = ("tf", "tf.math", "tf.nn", "tf.image", "tf.linalg", "tf.strings", "tf.sparse", "tf.ragged", "tf.signal", "tf.random", "tf.bitwise",
           "tf.keras.ops", "tf.sets", "tf.quantization", "tf.audio")
# Functions that change the process, wait, write files, only keep a function for later, or are parts of others.
LEFT_OUT = {"tf." + name for name in """Assert print py_function numpy_function function autograph custom_gradient recompute_grad
    executing_eagerly init_scope device name_scope control_dependencies no_gradient stop_gradient load_library load_op_library
    import_graph_def init_on inside_function in_one_row sizes_of open_shape timestamp switch_case case graph_util get_logger""".split()}
SEED = int(os.environ.get("LOCKSTEP_FUZZ_SEED", "40"))
SENSIBLE = ("ValueError", "TypeError", "NotImplementedError", "OverflowError")
GIGABYTE = 1 << 30
SECONDS = 5


def functions():
    """{name: function} of all modules; a function that has several names is there once."""
    import lockstep as tf
    made, known = {}, set()
    for module in MODULES:
        place = tf
        for part in module.split(".")[1:]:
            place = getattr(place, part, None)
        for name in sorted(dir(place)) if place is not None else ():
            if name.startswith("_") or f"tf.{name}" in LEFT_OUT:
                continue
            found = getattr(place, name, None)
            if inspect.isclass(found) or inspect.ismodule(found) or not callable(found) or id(found) in known:
                continue
            known.add(id(found))
            made[f"{module}.{name}"] = found
    return made


class Arguments:
    """Random arguments of a function."""

    def __init__(self, draw, name):
        import lockstep as tf
        self.draw, self.name, self.tf = draw, name, tf

    def extreme(self):
        tf = self.tf
        kind = self.draw.randrange(34)
        return [2 ** 63 - 1, -2 ** 63, -1, 0, 2 ** 31, 2 ** 40, float("nan"), float("inf"), -float("inf"), None, "", "x", 1e308, 2 ** 70, [],
                [[]], [-1], [2 ** 60], [2 ** 31] * 3, [0, 0], (-1, 2 ** 63 - 1), {}, True, b"\xff\xfe", [None], [1, [2]],
                lambda: tf.zeros([0]), lambda: tf.zeros([0, 3]), lambda: tf.ones([1, 1, 1, 1, 1, 1]), lambda: tf.constant(2 ** 63 - 1, tf.int64),
                lambda: tf.constant([-1, 7]), lambda: tf.constant(["a", ""]), lambda: tf.constant([True, False]),
                lambda: tf.constant([float("nan"), float("inf")])][kind]

    def plausible(self, name):
        tf, draw, module = self.tf, self.draw, self.name.rsplit(".", 1)[0]
        texts, whole = lambda: tf.constant(["a b", "", "ab1"]), lambda: tf.constant([0, 1])
        sparse = lambda: tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
        ragged = lambda: tf.ragged.constant([[1, 2], [], [3]])
        matrix, image = lambda: tf.constant([[2.0, 1.0], [1.0, 3.0]]), lambda: tf.ones([1, 4, 4, 3])
        table = (
            (("axis", "dim", "batch_dims", "batch_axis", "seq_axis"), [0, 1, -1]), (("dtype", "out_type", "output_type"), [tf.float32, tf.int32]),
            (("shape", "size", "multiples", "sizes", "input_shape", "output_shape", "target_shape", "newshape", "dense_shape"), [[2, 2], [4], 2]),
            (("seed",), [[1, 2], 1]), (("name",), [None]), (("padding",), ["SAME", "VALID"]), (("strides", "dilations", "ksize", "pool_size"), [1, 2]),
            (("filters", "filter", "kernel"), [lambda: tf.ones([2, 2, 3, 4])]), (("perm", "axes"), [[1, 0], [0]]), (("equation", "subscripts"), ["ij,jk->ik"]),
            (("k", "num", "depth", "n", "num_classes", "num_segments", "num_buckets", "num_split", "rank", "frame_length", "frame_step"), [2, 1]),
            (("indices", "segment_ids", "ids", "labels"), [whole, lambda: tf.constant([[0], [1]])]), (("paddings",), [[[1, 1], [0, 1]]]),
            (("sp_input", "sp_inputs", "sp_a", "sp_ids", "sparse"), [sparse]), (("rt_input", "ragged"), [ragged]),
            (("image", "images", "img"), [image]), (("pattern", "delimiter", "sep", "encoding", "separator"), ["a", " "]),
            (("begin", "start"), [[0, 0], 0]), (("end", "limit", "stop"), [[1, 1], 3]), (("fn", "f", "function", "true_fn", "body"), [lambda: tf.abs]))
        for names, values in table:
            if name in names:
                return draw.choice(values)
        own = {"tf.strings": [texts], "tf.sparse": [sparse, sparse, matrix], "tf.ragged": [ragged, ragged, whole], "tf.image": [image],
               "tf.linalg": [matrix], "tf.bitwise": [whole], "tf.signal": [matrix, lambda: tf.ones([16])]}.get(module)
        return draw.choice(own or [matrix, matrix, image, whole, lambda: tf.ones([2, 3]), lambda: 2, lambda: [1.0, 2.0], lambda: tf.constant([1.0, 2.0])])

    def call(self, function):
        """(positional arguments, keyword arguments); the text of both. Values that are functions are called for a value."""
        draw = self.draw
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (ValueError, TypeError):
            parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in "abc"[:draw.randrange(1, 4)]]
        places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) and one.name != "name"]
        needed = [one for one in places if one.default is one.empty]
        replaced = {one.name for one in draw.sample(places, min(len(places), draw.choice([1, 1, 2])))}
        args, kwargs = [], {}
        for one in places:
            if one not in needed and one.name not in replaced and draw.random() < 0.8:
                continue
            value = self.extreme() if one.name in replaced else self.plausible(one.name)
            value = value() if callable(value) and not isinstance(value, self.tf.DType) and value is not self.tf.abs else value
            if one.kind == one.POSITIONAL_ONLY:
                args.append(value)
            else:
                kwargs[one.name] = value
        if any(one.kind == one.VAR_POSITIONAL for one in parameters):
            kwargs, args = {}, [*kwargs.values(), self.extreme()]
            args = [one() if callable(one) and not isinstance(one, self.tf.DType) else one for one in args]
        return args, kwargs


def shown(value):
    text = " ".join(repr(value).split())
    return text if len(text) < 200 else text[:200] + "..."


def of_wrong_type(error, values):
    """Whether an argument lacks what its parameter's type has, which is an AttributeError in TensorFlow, too."""
    found = re.match(r"'(\w+)' object has no attribute '[a-z]", str(error))
    return isinstance(error, AttributeError) and found is not None and found[1] in {type(one).__name__ for one in [*values, *sum(
        (list(one) for one in values if isinstance(one, (list, tuple))), [])]}


def place_of(error):
    """The line that raised an error."""
    place = error.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    return f"{os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"


def used(result):
    """Looks at a result, as a program would: generators and lazy values are asked for."""
    for one in result if isinstance(result, (list, tuple)) else [result]:
        if hasattr(one, "numpy"):
            one.numpy()


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def child(note, calls, seed, names, begin):
    """Makes the calls from number `begin` on; each is noted first. Prints what is wrong."""
    import lockstep as tf
    size = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 3 * GIGABYTE, size + 3 * GIGABYTE))
    warnings.simplefilter("ignore")
    sensible = tuple(getattr(builtins, one) for one in SENSIBLE) + (tf.errors.OpError,)
    all = functions()
    chosen = [name for name in all if not names or name in names]
    for number in range(begin, calls * len(chosen)):
        name = chosen[number // calls]
        draw = random.Random(f"{seed} {name} {number % calls}")
        pathlib.Path(note).write_text(f"{number} {name}: the arguments")
        args, kwargs = Arguments(draw, name).call(all[name])
        text = f"{name}({', '.join([*map(shown, args), *(f'{key}={shown(value)}' for key, value in kwargs.items())])})"
        pathlib.Path(note).write_text(f"{number} {text}")
        before, start = peak(), time.process_time()
        faulthandler.dump_traceback_later(30, exit=True)
        try:
            used(all[name](*args, **kwargs))
        except sensible:
            pass
        except BaseException as error:
            if not of_wrong_type(error, [*args, *kwargs.values()]):
                print(f"WRONG {text}: {type(error).__name__}: {str(error)[:200]} ({place_of(error)})", flush=True)
        faulthandler.cancel_dump_traceback_later()
        if time.process_time() - start > SECONDS:
            print(f"WRONG {text}: took {time.process_time() - start:.1f} s", flush=True)
        if peak() - before > GIGABYTE:
            print(f"WRONG {text}: took {peak() - before >> 20} MB", flush=True)
    pathlib.Path(note).write_text("all")
    print(f"{len(chosen)} functions, {calls} calls each, seed {seed}")


def sweep(calls, seed, names=()):
    """Runs children until all calls are made. Returns: what is wrong."""
    wrong, begin = [], 0
    with tempfile.TemporaryDirectory() as folder:
        note = os.path.join(folder, "call")
        while True:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--child", note, str(calls), str(seed), str(begin), *names],
                                  cwd=folder, capture_output=True, text=True, errors="replace")
            wrong += [line[6:] for line in done.stdout.splitlines() if line.startswith("WRONG ")]
            text = pathlib.Path(note).read_text() if os.path.exists(note) else ""
            if text == "all":
                print(done.stdout.splitlines()[-1])
                return wrong
            number, _, call = text.partition(" ")
            if not number.isdecimal():
                return [*wrong, done.stderr[-3000:]]
            wrong.append(f"{call}: ended the process with {done.returncode}: {done.stderr[-300:]}")
            begin = int(number) + 1


class ExtremeCalls(unittest.TestCase):
    def test_each_function_gives_a_result_or_an_error(self):
        self.assertEqual(sweep(2, SEED), [], "LOCKSTEP_FUZZ_SEED sets another seed")


if __name__ == "__main__":
    if len(sys.argv) > 5 and sys.argv[1] == "--child":
        child(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[6:], int(sys.argv[5]))
    elif len(sys.argv) > 1 and sys.argv[1].isdecimal():
        found = sweep(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else SEED, sys.argv[3:])
        print("\n".join(found), f"\n{len(found)} wrong")
        sys.exit(bool(found))
    else:
        unittest.main()
