"""Graphs from outside with a damaged structure: each is imported, or refused by an error that names a node.

The corpus has every op: for each row of the table of signatures (src/ops/signatures.cc) arguments are drawn until the op
takes them, and the graph of that call is exported; TensorFlow's ops are written as its GraphDefs have them. Each case is a
graph with one to three changes, which goes through `import_graph_def` or, as bytes, as text or as a message, through
`import_meta_graph`. `test_graph_fuzz.py SECONDS [SEED]` runs it for longer."""
import faulthandler
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

import numpy

import lockstep as tf
from lockstep import _native

SEED = int(os.environ.get("LOCKSTEP_FUZZ_SEED", "40"))
TABLE = pathlib.Path(__file__).resolve().parents[2] / "src/ops/signatures.cc"
EXTREMES = [0, -1, 2 ** 63 - 1, -2 ** 63, 2 ** 31, 2 ** 40, 2 ** 60]
CAUGHT = (ValueError, tf.errors.UnimplementedError, tf.errors.ResourceExhaustedError, tf.errors.DataLossError)
# No single process can draw arguments for these: they need an object of Python or of a replica, or wait for others.
NOT_DRAWN = re.compile("Accumulator|CustomGradient|FunctionCall|If$|LookupTableFind|Parse|Py|Queue|Replica|While|^_|Placeholder|^Arg$|HostCall")
v1 = tf.compat.v1


def signatures():
    """{op: (letters of its inputs, the last one with * where any number may follow, {attribute: kind})} of the table."""
    rows = re.findall(r'^    \{"(\w+)", "([^"]*)", "([^"]*)"\},$', TABLE.read_text(), re.M)
    return {op: (re.sub(r".\?", "", inputs), dict(one.split(":") for one in attributes.split()))
            for op, inputs, attributes in rows}


class Draws:
    """Random arguments of ops."""

    def __init__(self, draw):
        self.draw = draw

    def value(self, dtype, shape):
        if dtype == "string":
            return tf.constant(numpy.full(shape, "a"), dtype=tf.string)
        values = [self.draw.choice([0, 1, 2]) for _ in range(int(numpy.prod(shape)))]
        return tf.cast(tf.constant(numpy.reshape(values, shape).astype("int64")), dtype)

    def call(self, inputs, attributes):
        """(tensors, attributes as `_native.emit` takes them)."""
        draw = self.draw
        if inputs.endswith("*"):
            inputs = inputs[:-2] + inputs[-2] * draw.randrange(6)
        alike = draw.random() < 0.4
        dtype = draw.choice(["float32", "float32", "int32", "int64", "bool", "string", "float64", "uint8"])
        shape = draw.choice([[], [2], [2, 3], [1, 4, 4, 2], [2, 2, 3], [2, 2, 2]])
        tensors = []
        for place, kind in enumerate(inputs):
            if kind == "r":
                tensors.append(v1.Variable(self.value("float32", shape), name="v")._v.handle)
                continue
            if alike:
                tensors.append(self.value("float32" if "r" in inputs else dtype, shape if "r" not in inputs or inputs[place - 1] == "r" else []))
                continue
            other = place > 0 and draw.random() < 0.4
            own = draw.choice(["int32", "int64", "float32"]) if other else dtype
            tensors.append(self.value(own, draw.choice([[], shape, [2], shape[-1:], shape[:1], shape[:-1]]) if place else shape))
        given = {}
        for name, kind in attributes.items():
            if kind.endswith("?") and draw.random() < 0.7:
                continue
            kind = kind.rstrip("?")
            rank = len(shape)
            given[name] = {
                "b": lambda: ("b", draw.random() < 0.5), "i": lambda: ("i", draw.choice([0, 0, 1, 2])), "f": lambda: ("f", draw.choice([0.5, 1.0, 2.0])),
                "s": lambda: ("s", draw.choice([b"SAME", b"VALID", b"Reshape", b"a", b"bias"])), "type": lambda: ("type", draw.choice([1, 3, 9])),
                "ints": lambda: ("list(int)", draw.choice([list(range(rank)), [1] * rank, [0] * rank, shape, [0], [1, 1], [2], [], [0, 0] * rank])),
                "floats": lambda: ("list(float)", [0.5]), "tensor": lambda: ("tensor", self.value(dtype, shape))}[kind]()
        return tensors, given


def own_graphs():
    """Lockstep's GraphDefs, {op: a graph that has it}."""
    made = {}
    draws = Draws(random.Random("arguments"))
    for op, (inputs, attributes) in signatures().items():
        if NOT_DRAWN.search(op):
            continue
        for _ in range(2000):
            with tf.Graph().as_default() as graph:
                try:
                    if _native.emit(op, *draws.call(inputs, attributes)) is not None:
                        made[op] = graph.as_graph_def()
                        break
                except (*CAUGHT, tf.errors.InternalError):
                    continue
    return {**made, **written_graphs()}


def written_graphs():
    """Graphs of ops that no single call makes: branches, loops, Python, variables, queues."""
    made = {}

    def graph(name, build):
        with tf.Graph().as_default() as one:
            build(v1.placeholder(tf.float32, [2], "x"), tf.constant(True))
            made[name] = one.as_graph_def()
    graph("If", lambda x, p: tf.cond(p, lambda: x + 1.0, lambda: x))
    graph("While", lambda x, p: tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)]))
    graph("PyFunction", lambda x, p: tf.py_function(lambda a: a, [x], tf.float32))
    graph("PlaceholderWithDefault", lambda x, p: v1.placeholder_with_default(x, [None]))
    graph("Variables", lambda x, p: [v1.get_variable("v", [2]).assign_add(x), tf.matmul(v1.get_variable("w", [2, 2]), x[:, None])])
    graph("Group", lambda x, p: tf.group(x + 1.0, x * 2.0))
    image = numpy.ones([1, 4, 4, 2], "float32")

    def with_gradients(build):
        def both(x, p):
            inputs, made = build()
            v1.gradients(made, inputs)
        return both

    def windows(function, *shape):
        filters = [tf.constant(numpy.ones(shape, "float32"))] if shape else []
        data = [tf.constant(image), *filters]
        return data, function(*data)
    graph("Conv2D", with_gradients(lambda: windows(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), 2, 2, 2, 3)))
    graph("DepthwiseConv2dNative", with_gradients(lambda: windows(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), 2, 2, 2, 1)))
    graph("MaxPool", with_gradients(lambda: windows(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"))))
    graph("AvgPool", with_gradients(lambda: windows(lambda x: tf.nn.avg_pool2d(x, 2, 2, "SAME"))))
    def emitted(op, shapes, attributes):
        data = [tf.constant(numpy.ones(shape, "float32")) for shape in shapes]
        return data, _native.emit(op, data, attributes)

    def twice():
        data = tf.constant(image)
        first = v1.gradients(tf.nn.max_pool2d(data, 2, 2, "SAME") ** 2.0, data)
        return data, first
    graph("LayerNorm", with_gradients(lambda: emitted("LayerNorm", [[2, 3], [3], [3]], {"epsilon": ("f", 0.1)})))
    graph("ScaledDotProductAttention", with_gradients(lambda: emitted("ScaledDotProductAttention", [[1, 2, 2, 2]] * 3, {
        "causal": ("b", True), "scale": ("f", 0.5)})))
    graph("MaxPoolGradGrad", with_gradients(twice))
    graph("Substr", lambda x, p: tf.strings.substr(tf.constant(["abc"]), 1, 2))
    graph("StringNGrams", lambda x, p: tf.strings.ngrams(tf.constant([["a", "b"]]), 2))
    graph("StringJoinRows", lambda x, p: _native.string_join_rows(tf.constant(["a", "b"]), tf.constant([0, 2], tf.int64), " "))
    graph("SparseToDense", lambda x, p: tf.sparse.to_dense(tf.SparseTensor([[0]], [1.0], [2])))
    graph("DecodeRaw", lambda x, p: tf.io.decode_raw(tf.constant(["abcd"]), tf.int16))
    graph("StatelessRandomGamma", lambda x, p: tf.random.stateless_gamma([2], [1, 2], 1.0))
    graph("StatelessRandomPoisson", lambda x, p: tf.random.stateless_poisson([2], [1, 2], 1.0))
    graph("StatelessRandomBinomial", lambda x, p: tf.random.stateless_binomial([2], [1, 2], 3.0, 0.5))
    graph("Queue", lambda x, p: tf.queue.FIFOQueue(3, [tf.float32], [[2]]).enqueue(x))
    return made


# TensorFlow's ops with other inputs than one to three small floats: the inputs, then the attributes.
TENSORFLOW = {
    "MatMul": ([[[1.0]], [[2.0]]], {}), "BatchMatMulV2": ([[[1.0]], [[2.0]]], {}), "BatchMatMul": ([[[1.0]], [[2.0]]], {}),
    "Conv2D": ([numpy.ones([1, 4, 4, 2], "float32"), numpy.ones([2, 2, 2, 3], "float32")], {"strides": [1, 1, 1, 1], "padding": b"SAME"}),
    "DepthwiseConv2dNative": ([numpy.ones([1, 4, 4, 2], "float32"), numpy.ones([2, 2, 2, 1], "float32")],
                              {"strides": [1, 1, 1, 1], "padding": b"VALID", "dilations": [1, 1, 1, 1]}),
    "MaxPool": ([numpy.ones([1, 4, 4, 2], "float32")], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": b"SAME"}),
    "AvgPool": ([numpy.ones([1, 4, 4, 2], "float32")], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": b"SAME"}),
    "FusedBatchNormV3": ([numpy.ones([1, 2, 2, 1], "float32")] + [[1.0]] * 4, {"is_training": False, "epsilon": 0.1}),
    "Reshape": ([[1.0, 2.0], [2, 1]], {}), "Transpose": ([[[1.0, 2.0]], [1, 0]], {}), "ExpandDims": ([[1.0], 0], {}),
    "Squeeze": ([[[1.0]]], {"squeeze_dims": [0]}), "ConcatV2": ([[1.0], [2.0], 0], {}), "Concat": ([0, [1.0], [2.0]], {}),
    "Split": ([0, [1.0, 2.0]], {"num_split": 2}), "SplitV": ([[1.0, 2.0], [1, 1], 0], {"num_split": 2}), "Pack": ([[1.0], [2.0]], {"axis": 0}),
    "Unpack": ([[1.0, 2.0]], {"num": 2, "axis": 0}), "Slice": ([[1.0, 2.0], [0], [1]], {}),
    "StridedSlice": ([[1.0, 2.0], [0], [1], [1]], {"begin_mask": 0, "end_mask": 1, "shrink_axis_mask": 0}),
    "Gather": ([[1.0, 2.0], [1]], {}), "GatherV2": ([[1.0, 2.0], [1], 0], {"batch_dims": 0}), "GatherNd": ([[1.0, 2.0], [[1]]], {}),
    "Tile": ([[1.0], [2]], {}), "Pad": ([[1.0], [[1, 1]]], {}), "PadV2": ([[1.0], [[1, 1]], 0], {}), "Fill": ([[2], 1.0], {}),
    "Range": ([0, 3, 1], {}), "BroadcastTo": ([[1.0], [2]], {}), "Cast": ([[1.0]], {"DstT": tf.int32}), "OneHot": ([[1], 3, 1.0, 0.0], {"axis": -1}),
    "TopKV2": ([[1.0, 2.0], 1], {}), "Einsum": ([[[1.0]], [[2.0]]], {"equation": b"ij,jk->ik"}), "Shape": ([[1.0]], {"out_type": tf.int64}),
    "ArgMax": ([[1.0, 2.0], 0], {"output_type": tf.int64}), "ArgMin": ([[1.0, 2.0], 0], {}), "InvertPermutation": ([[1, 0]], {}),
    "LeakyRelu": ([[1.0]], {"alpha": 0.1}), "BiasAdd": ([[[1.0]], [2.0]], {}), "SelectV2": ([True, 1.0, 2.0], {}), "Select": ([True, 1.0, 2.0], {}),
    "PlaceholderWithDefault": ([[1.0]], {"shape": None}), "AddN": ([[1.0], [2.0]], {}), "IdentityN": ([[1.0], [2.0]], {}), "Where": ([[True]], {}),
    **{op: ([[[1.0, 2.0]], [1]], {"keep_dims": True}) for op in ("Sum", "Mean", "Max", "Min", "Prod")},
    **{op: ([[[True]], [1]], {}) for op in ("All", "Any")}}


def set_attribute(held, value):
    """Writes a value of Python into an AttrValue."""
    if value is None:
        held.shape.unknown_rank = True
    elif isinstance(value, bool):
        held.b = value
    elif isinstance(value, tf.DType):
        held.type = int(value)
    elif isinstance(value, int):
        held.i = value
    elif isinstance(value, float):
        held.f = value
    elif isinstance(value, bytes):
        held.s = value
    elif isinstance(value, list):
        held.list.i.extend(value)
    else:
        held.tensor.CopyFrom(value)


def constant_node(graph, value):
    node = graph.node.add(name=f"c{len(graph.node)}", op="Const")
    array = numpy.asarray(value)
    array = array.astype({"float64": "float32", "int64": "int32"}.get(array.dtype.name, array.dtype))
    set_attribute(node.attr["value"], tf.make_tensor_proto(array))
    node.attr["dtype"].type = int(tf.as_dtype(array.dtype))
    return node.name


def tensorflow_graph(op, inputs, attributes):
    graph = v1.GraphDef()
    graph.versions.producer = 2000
    names = [constant_node(graph, one) for one in inputs]
    node = graph.node.add(name="y", op=op)
    node.input.extend(names)
    for key, value in attributes.items():
        set_attribute(node.attr[key], value)
    return graph


def tensorflow_graphs():
    """{op: a GraphDef as TensorFlow writes it}."""
    from lockstep.compat.v1 import _import_ops
    made = {}
    for op in sorted({*_import_ops._PLAIN, *_import_ops._MADE}):
        for inputs, attributes in [TENSORFLOW[op]] if op in TENSORFLOW else [
                ([value] * count, {}) for value in ([1.0, 2.0], [True, False], [1, 2]) for count in (1, 2, 3)]:
            graph = tensorflow_graph(op, inputs, attributes)
            try:
                with tf.Graph().as_default():
                    tf.import_graph_def(graph)
            except CAUGHT:
                continue
            made[op] = graph
            break
    return made


class Mutations:
    """Random changes of a GraphDef. `names`: those of all ops."""

    def __init__(self, draw, names):
        self.draw, self.names = draw, names

    def apply(self, graph):
        for _ in range(self.draw.choice([1, 1, 2, 3])):
            node = graph.node[-1] if self.draw.random() < 0.6 else self.draw.choice(graph.node)
            self.draw.choice([self.inputs, self.inputs, self.attribute, self.attribute, self.names_of, self.library])(graph, node)

    def inputs(self, graph, node):
        draw, inputs = self.draw, list(node.input)
        kind, names = draw.randrange(6), [one.name for one in graph.node]
        if kind == 0 and inputs:
            del inputs[draw.randrange(len(inputs))]
        elif kind == 1 and inputs:
            inputs.append(draw.choice(inputs))
        elif kind == 2:
            draw.shuffle(inputs)
        elif kind == 3 and inputs:
            inputs[draw.randrange(len(inputs))] = draw.choice([*names, "", "^", ":", "a:b", "a:b:c", "x:-1", "zz", names[0] + ":7",
                                                               "^" + names[-1], names[0] + ":" + "9" * 30, "é", names[0] + ":0:0"])
        elif kind == 4:
            inputs.append(draw.choice(["^" + node.name, node.name, draw.choice(names), "^" + draw.choice(names)]))
        else:
            inputs = inputs * 50
        del node.input[:]
        node.input.extend(inputs)

    def attribute(self, graph, node):
        draw = self.draw
        keys = sorted(key for key in node.attr if key not in ("T", "_output_shapes")) or ["axis"]
        key = draw.choice(keys) if draw.random() < 0.9 else draw.choice(["value", "shape", "dtype", "axis", "_class"])
        if draw.random() < 0.25:
            node.attr.pop(key, None)
            return
        held = node.attr[key]
        if draw.random() < 0.3:
            held.Clear()
            set_attribute(held, draw.choice([True, draw.choice(EXTREMES), float("nan"), 3e38, b"", b"\xff", tf.int32, tf.string, tf.resource,
                                             None, [], [draw.choice(EXTREMES)] * draw.choice([1, 2, 4, 300])]))
            return
        kind = held.WhichOneof("value")
        if kind == "i":
            held.i = draw.choice(EXTREMES)
        elif kind == "f":
            held.f = draw.choice([float("nan"), float("inf"), -1.0, 0.0, 1e30])
        elif kind == "type":
            held.type = draw.choice([0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 19, 20, 23, 101, -1, 10 ** 6])
        elif kind == "s":
            held.s = draw.choice([b"", b"SAME", b"\xff\xfe", b"a" * 5000, b"->", b"i,j,k->", b"NCHW"])
        elif kind == "list":
            values = list(held.list.i)
            if values:
                values[draw.randrange(len(values))] = draw.choice(EXTREMES)
            del held.list.i[:]
            held.list.i.extend(draw.choice([values, values[1:], values * 3]))
        elif kind == "tensor":
            self.tensor(held.tensor)
        elif kind == "shape":
            held.shape.dim.add(size=draw.choice(EXTREMES))

    def tensor(self, tensor):
        draw, kind = self.draw, self.draw.randrange(5)
        if kind == 0:
            tensor.tensor_shape.dim.add(size=draw.choice([*EXTREMES, 3, 2 ** 33]))
        elif kind == 1:
            tensor.tensor_content = tensor.tensor_content[1:] if draw.random() < 0.5 else tensor.tensor_content + b"abc"
        elif kind == 2:
            tensor.dtype = draw.choice([0, 1, 2, 3, 7, 8, 9, 10, 14, 19, 20, 23, 101])
        elif kind == 3:
            del tensor.tensor_shape.dim[:]
        else:
            tensor.int_val.extend([2 ** 40, -2 ** 63])

    def names_of(self, graph, node):
        draw, kind = self.draw, self.draw.randrange(6)
        if kind == 0:
            node.name = draw.choice([draw.choice(graph.node).name, "", "a:0", "^a", "a" * 5000, "é\n", "/"])
        elif kind == 1:
            node.op = draw.choice([*self.names, "", "NoSuchOp"])
        elif kind == 2:
            node.device = draw.choice(["/job:nowhere/task:99", "bad device", "/cpu:-1", "é"])
        elif kind == 3:
            graph.node.append(draw.choice(graph.node))
        elif kind == 4:
            draw.shuffle(graph.node)
        else:
            graph.versions.producer = draw.choice([0, 1, 1, 2000, -1])

    def library(self, graph, node):
        """A function that calls itself, and a call of it."""
        function = graph.library.function.add()
        function.signature.name = self.draw.choice(["again", node.op])
        body = function.node_def.add(name="inner", op=function.signature.name)
        body.attr["f"].func.name = function.signature.name
        call = graph.node.add(name="call", op=self.draw.choice([function.signature.name, "PartitionedCall", "StatefulPartitionedCall", "If"]))
        call.attr["f"].func.name = function.signature.name
        call.input.extend(node.input)


def copied(graph):
    made = v1.GraphDef()
    made.CopyFrom(graph)
    return made


def imported(draw, graph, path):
    """Gives a graph to one of the importers."""
    kind = draw.randrange(5)
    meta = v1.MetaGraphDef()
    meta.graph_def.CopyFrom(graph)
    with tf.Graph().as_default():
        if kind <= 1:
            tf.import_graph_def(graph, name=draw.choice(["", "a", None]))
        elif kind == 2:
            v1.train.import_meta_graph(meta)
        else:
            path.write_bytes(meta.SerializeToString() if kind == 3 else str(meta).encode())
            v1.train.import_meta_graph(str(path))


def fuzz(seed, cases, seconds, note):
    """Runs cases, each of which is noted in a file first. Returns: (cases, [what came through that should not])."""
    note.write_text("making the corpus")
    corpus = {f"own {op}": graph for op, graph in own_graphs().items()}
    own = len(corpus)
    corpus.update({f"tensorflow {op}": graph for op, graph in tensorflow_graphs().items()})
    print(f"{own} graphs of Lockstep, {len(corpus) - own} of TensorFlow's ops")
    names = {node.op for graph in corpus.values() for node in graph.node}
    left = sorted(op for op in signatures() if not NOT_DRAWN.search(op) and op not in names)
    names = sorted(names | set(signatures()))
    keys, wrong, count, refused = sorted(corpus), [f"no graph of {op}" for op in left], 0, 0
    path = note.with_suffix(".meta")
    began = time.monotonic()
    while count < cases if seconds is None else time.monotonic() - began < seconds:
        draw = random.Random(f"{seed} {count}")
        key = keys[count % len(keys)]
        graph = copied(corpus[key])
        Mutations(draw, names).apply(graph)
        note.write_text(f"seed {seed}, case {count}, {key}:\n{graph}")
        faulthandler.dump_traceback_later(20, exit=True)
        start = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                imported(draw, graph, path)
        except CAUGHT:
            refused += 1
        except Exception as error:
            wrong.append(f"case {count}, {key}: {type(error).__name__}: {str(error)[:300]}")
        faulthandler.cancel_dump_traceback_later()
        if time.monotonic() - start > 5:
            wrong.append(f"case {count}, {key}: took {time.monotonic() - start:.0f} s")
        count += 1
    print(f"seed {seed}: {count} cases, {refused} refused, {len(wrong)} wrong")
    return wrong


def main(cases, seconds, seed, note):
    limit = 4 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    v1.logging.set_verbosity(v1.logging.ERROR)
    wrong = fuzz(seed, cases, seconds, pathlib.Path(note))
    print("\n".join(wrong[:40]))
    return bool(wrong)


class DamagedGraphs(unittest.TestCase):
    def test_each_graph_is_imported_or_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            note = os.path.join(folder, "case")
            done = subprocess.run([sys.executable, __file__, "--cases", "1500", str(SEED), note], capture_output=True, text=True)
            case = "" if done.returncode in (0, 1) else pathlib.Path(note).read_text()
            self.assertEqual(done.returncode, 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}{case}")
            print(done.stdout)

    def test_a_node_without_its_inputs_is_refused_by_name(self):
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [2, 2], name="x")
            tf.matmul(tf.nn.relu(x, name="y"), x, name="z")
        for name, op in (("y", "Relu"), ("z", "MatMul")):
            made = graph.as_graph_def()
            for producer in (1, 2000):
                made.versions.producer = producer
                for node in made.node:
                    if node.name == name:
                        del node.input[:]
                with self.assertRaisesRegex(ValueError, f"'{name}'.*'{op}'"), tf.Graph().as_default():
                    tf.import_graph_def(made, name="")

    def test_an_input_too_many_is_not_taken_for_another_argument(self):
        graph = tensorflow_graph("Relu", [[1.0], [2.0]], {})
        with self.assertRaisesRegex(ValueError, "'y' of the op 'Relu' must have 1 inputs; got 2"), tf.Graph().as_default():
            tf.import_graph_def(graph)

    def test_names_are_unique_and_are_names(self):
        for name in ("c0", "", "^c0"):
            graph = tensorflow_graph("Neg", [[1.0]], {})
            graph.node[1].name = name
            with self.assertRaises(ValueError), tf.Graph().as_default():
                tf.import_graph_def(graph)

    def test_a_constant_is_no_larger_than_the_memory(self):
        graph = tensorflow_graph("Neg", [[1.0]], {})
        del graph.node[0].attr["value"].tensor.tensor_shape.dim[:]
        graph.node[0].attr["value"].tensor.tensor_shape.dim.add(size=2 ** 50)
        with self.assertRaises(tf.errors.ResourceExhaustedError), tf.Graph().as_default():
            tf.import_graph_def(graph)


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "--cases":
        sys.exit(main(int(sys.argv[2]), None, sys.argv[3], sys.argv[4]))
    if len(sys.argv) > 1 and sys.argv[1].isdecimal():
        sys.exit(main(0, float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else str(time.time_ns()), "graph_fuzz_case"))
    unittest.main()
