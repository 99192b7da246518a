"""Graphs as messages, shapes that a run tells."""
import os
import pathlib
import tempfile
import unittest

import numpy as np

import lockstep as tf

v1 = tf.compat.v1
ROOT = pathlib.Path(__file__).resolve().parents[2]


def small():
    graph = v1.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, tf.constant([[1., 2.], [3., 4.]]), name="y")
        tf.reduce_sum(tf.nn.relu(y + 1.), axis=1, name="s")
    return graph


class GraphDefs(unittest.TestCase):
    def test_nodes_that_do_not_fit_their_op_are_refused(self):
        def graph_def(change):
            graph = tf.Graph()
            with graph.as_default():
                x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
                tf.nn.relu(tf.concat([x, x], 0), name="y")
                tf.add(x, 1.0, name="z")
            made = graph.as_graph_def()
            change({node.name: node for node in made.node})
            return made

        def drop_input(name):
            def change(nodes):
                del nodes[name].input[0]
            return change

        def add_input(nodes):
            nodes["y"].input.append("x")

        for change in (drop_input("y"), drop_input("z"), add_input):
            with tf.Graph().as_default(), self.assertRaises(tf.errors.InvalidArgumentError) as raised:
                tf.import_graph_def(graph_def(change), name="")
            self.assertRegex(str(raised.exception), r"input.*got \d.*node '[yz]'")

    def test_nodes(self):
        made = small().as_graph_def()
        self.assertEqual([one.op for one in made.node if one.op != "Const"],
                         ["Placeholder", "MatMul", "AddV2", "Relu", "Sum"])
        x = made.node[0]
        self.assertEqual((x.name, x.attr["dtype"].type, [one.size for one in x.attr["shape"].shape.dim]), ("x", 1, [-1, 2]))
        self.assertEqual(list(next(one for one in made.node if one.name == "y").input)[0], "x")
        self.assertIn('node {\n  name: "x"\n  op: "Placeholder"\n', str(made))
        self.assertIn("type: DT_FLOAT", str(x))

    def test_bytes_and_text(self):
        made = small().as_graph_def()
        again = v1.GraphDef()
        again.ParseFromString(made.SerializeToString())
        self.assertEqual(again, made)
        again.node[0].device = "/cpu:0"
        self.assertNotEqual(again, made)
        again.node.add(name="more", op="NoOp").input.append("^x")
        self.assertEqual(v1.GraphDef.FromString(again.SerializeToString()).node[-1].input, ["^x"])
        with self.assertRaisesRegex(AttributeError, "GraphDef has no field 'nodes'"):
            again.nodes = []
        with tempfile.TemporaryDirectory() as folder:
            path = tf.io.write_graph(small(), os.path.join(folder, "deeper"), "g.pbtxt")
            with open(path) as file:
                self.assertEqual(file.read(), str(made))
            tf.io.write_graph(made, folder, "g.pb", as_text=False)
            with open(os.path.join(folder, "g.pb"), "rb") as file:
                self.assertEqual(v1.GraphDef.FromString(file.read()), made)

    def test_attributes(self):
        one = v1.AttrValue(b=True)
        one.s = b"text"
        self.assertEqual((one.WhichOneof("value"), one.b), ("s", True))
        node = v1.NodeDef(name="n", op="Op")
        node.attr["list"].list.i.extend([1, -2])
        node.attr["f"].f = 0.1
        node.attr["shape"].shape.dim.add(size=-1)
        node.attr["none"].i = 0
        again = v1.NodeDef.FromString(node.SerializeToString())
        self.assertEqual(again.attr["list"].list.i, [1, -2])
        self.assertEqual(again.attr["none"].WhichOneof("value"), "i")
        self.assertAlmostEqual(again.attr["f"].f, 0.1, places=7)
        self.assertEqual(str(again), str(node))
        self.assertIn('attr {\n  key: "f"\n  value {\n    f: 0.1\n  }\n}\n', str(node))

    def test_in_event_files(self):
        with tempfile.TemporaryDirectory() as folder:
            v1.summary.FileWriter(folder, small()).close()
            path = os.path.join(folder, os.listdir(folder)[0])
            events = [one for one in v1.train.summary_iterator(path) if one.HasField("graph_def")]
            self.assertEqual([v1.GraphDef.FromString(one.graph_def) for one in events], [small().as_graph_def()])
            with self.assertRaisesRegex(TypeError, "must be an instance of `Graph`"):
                v1.summary.FileWriter(folder, "graph")

    def test_concrete_functions(self):
        concrete = tf.function(lambda a: tf.sin(a) * 2.).get_concrete_function(tf.TensorSpec([None], tf.float32))
        self.assertEqual([one.op for one in concrete.graph.as_graph_def().node],
                         ["Placeholder", "Sin", "Const", "Mul", "Identity"])
        self.assertEqual([concrete.graph.inputs[0].name, concrete.graph.outputs[0].name], ["a:0", "Identity:0"])


class Imports(unittest.TestCase):
    def test_of_its_own(self):
        made, graph = small().as_graph_def(), v1.Graph()
        with graph.as_default():
            s, y = tf.import_graph_def(made, name="", return_elements=["s:0", "y"])
            self.assertEqual((s.name, y.type), ("s:0", "MatMul"))
            mapped, = tf.import_graph_def(made, {"x:0": tf.constant([[1., 1.]])}, ["s:0"], "in")
            self.assertEqual(mapped.name, "in/s:0")
            self.assertIsNone(tf.import_graph_def(made))
            self.assertEqual(graph.get_tensor_by_name("import/s:0").shape.as_list(), [None])
        with v1.Session(graph=graph) as session:
            self.assertEqual(session.run([mapped, "s:0"], {"x:0": [[1., 2.]]})[1].tolist(), [19])
            self.assertEqual(session.run(mapped).tolist(), [12])

    def test_of_a_frozen_model_of_tensorflow(self):
        """A convolution, batch normalization, pooling, a depthwise convolution and a dense layer, written by TensorFlow 2.21."""
        made = v1.GraphDef.FromString((ROOT / "tests" / "data" / "frozen_graph.pb").read_bytes())
        self.assertEqual(made.node[0].attr["shape"].shape.dim[1].size, 6)
        graph = v1.Graph()
        with graph.as_default():
            tf.import_graph_def(made, name="model")
        x = np.arange(72, dtype="float32").reshape(2, 6, 6, 1) / 72
        with v1.Session(graph=graph) as session:
            got = session.run("model/Identity:0", {"model/x:0": x})
        np.testing.assert_allclose(got, [[0.3399235, 0.18579622, 0.2151626, 0.2591176],
                                         [0.16082399, 0.3039491, 0.27573267, 0.2594942]], rtol=1e-6)

    def test_wrong_graphs(self):
        made = small().as_graph_def()
        with v1.Graph().as_default():
            with self.assertRaisesRegex(TypeError, "must be a GraphDef proto. Received type str"):
                tf.import_graph_def("graph")
            with self.assertRaisesRegex(ValueError, "not found in graph_def"):
                tf.import_graph_def(made, return_elements=["nothing:0"])
            with self.assertRaisesRegex(ValueError, r"not found in graph_def: \['q:0'\]"):
                tf.import_graph_def(made, {"q": tf.constant(1.)})
            other = v1.GraphDef()
            other.node.add(name="a", op="VarHandleOp")
            other.node.add(name="b", op="Magic")
            with self.assertRaisesRegex(tf.errors.UnimplementedError, r"got Magic \(node b\); make"):
                tf.import_graph_def(other)
            other.Clear()
            other.node.add(name="a", op="Neg", input=["b"])
            with self.assertRaisesRegex(ValueError, "Unknown input node 'b'"):
                tf.import_graph_def(other)
            other.node.add(name="b", op="Neg", input=["a"])
            with self.assertRaisesRegex(ValueError, "must not wait for itself"):
                tf.import_graph_def(other)
        variable = v1.Graph()
        with variable.as_default():
            v1.get_variable("v", initializer=tf.constant(1.)).read_value()
        with v1.Graph().as_default() as graph:
            tf.import_graph_def(variable.as_graph_def(), name="again")
            self.assertEqual([one.name for one in v1.global_variables()], ["again/v:0"])
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                self.assertEqual(session.run(graph.get_tensor_by_name("again/v/Read:0")), 1.0)
        with v1.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            v = v1.get_variable("v", initializer=2.0)
            tf.numpy_function(lambda x: x * 2, [v], tf.float32, name="called")
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                path = v1.train.Saver().save(session, folder + "/m")
            with v1.Graph().as_default(), v1.Session() as session:
                v1.train.import_meta_graph(path + ".meta").restore(session, path)
                self.assertEqual(session.run("v:0"), 2.0)
            with open(path + ".meta", "wb") as file:
                file.write(b"\x0a\xff\x00garbage")
            with v1.Graph().as_default(), self.assertRaises(tf.errors.DataLossError):
                v1.train.import_meta_graph(path + ".meta")
        without = variable.as_graph_def()
        kept = [one for one in without.node if one.op != "AssignVariableOp"]
        del without.node[:]
        without.node.extend(kept)
        with v1.Graph().as_default(), self.assertRaisesRegex(tf.errors.UnimplementedError, "its first value by an op 'v/Assign'"):
            tf.import_graph_def(without)
        with self.assertRaises(tf.errors.DataLossError):
            v1.GraphDef.FromString(b"\x0a\xff")


    def test_ops_that_name_a_dtype_are_built_again(self):
        with v1.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
            x = v1.placeholder(tf.int32, [None], name="x")
            w = v1.get_variable("w", [3, 2], initializer=v1.glorot_uniform_initializer(seed=1))
            tf.matmul(tf.one_hot(x, 3, dtype=tf.float32), w, name="y")
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                expected = session.run("y:0", {"x:0": [2, 0]})
                path = v1.train.Saver().save(session, folder + "/m")
            with v1.Graph().as_default(), v1.Session() as session:
                v1.train.import_meta_graph(path + ".meta").restore(session, path)
                np.testing.assert_array_equal(session.run("y:0", {"x:0": [2, 0]}), expected)
            self.assertEqual(graph.get_tensor_by_name("y:0").shape.as_list(), [None, 2])


class ShapesOfARun(unittest.TestCase):
    def test_in_graphs(self):
        with v1.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 2, 2])
            b = v1.placeholder(tf.int32, [])
            made = [tf.reshape(x, [tf.shape(x)[0], 4]), tf.reshape(x, [tf.shape(x)[0], -1]),
                    tf.reshape(x, tf.stack([tf.shape(x)[0], 4])), tf.zeros([tf.shape(x)[0], 3]), tf.ones([b, 2], tf.int32),
                    tf.fill([b], "a"), tf.reshape(x, [b, -1]), tf.zeros(tf.shape(x))]
            self.assertEqual([one.shape.as_list() for one in made[:5]],
                             [[None, 4], [None, None], [None, None], [None, 3], [None, 2]])
            loss = tf.reduce_sum(tf.matmul(made[1], tf.ones([4, 2])) * tf.constant([1., 2.]))
            gradient = tf.gradients(loss, x)[0]
            values = np.arange(8, dtype="float32").reshape(2, 2, 2)
            got = session.run(made + [gradient], {x: values, b: 4})
            rows = values.reshape(2, 4).tolist()
            self.assertEqual([one.tolist() for one in got], [
                rows, rows, rows, np.zeros((2, 3)).tolist(), np.ones((4, 2), int).tolist(), [b"a"] * 4,
                values.reshape(4, 2).tolist(), np.zeros((2, 2, 2)).tolist(), np.full((2, 2, 2), 3).tolist()])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(made[6], {x: values, b: 3})
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(made[4], {b: -1})

    def test_in_functions(self):
        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def rnn(a):
            h = tf.zeros([tf.shape(a)[0], 3])
            for _ in range(2):
                h = tf.tanh(a + h)
            return tf.reshape(h, [-1, tf.shape(a)[1]])
        np.testing.assert_allclose(rnn(tf.ones([2, 3])).numpy(), np.full((2, 3), np.tanh(1 + np.tanh(1))), rtol=1e-6)
        self.assertEqual(rnn(tf.ones([5, 3])).shape, (5, 3))


class RanksOfARun(unittest.TestCase):
    """Placeholders without a shape; the figures are TensorFlow's."""

    def test_values_and_shapes(self):
        with v1.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32)
            made = [tf.shape(x), tf.size(x), tf.rank(x), tf.reduce_mean(x), tf.math.reduce_variance(x), tf.reduce_max(x) + x,
                    tf.reshape(x, [2, -1]), tf.where(x > 1, x, 0 * x), tf.clip_by_value(x, 0., 1.)]
            got = session.run(made, {x: np.arange(6).reshape(2, 3)})
            self.assertEqual([one.tolist() for one in got[:4]], [[2, 3], 6, 2, 2.5])
            self.assertAlmostEqual(float(got[4]), 2.9166667, places=6)
            self.assertEqual([one.tolist() for one in got[5:]], [
                [[5, 6, 7], [8, 9, 10]], [[0, 1, 2], [3, 4, 5]], [[0, 0, 2], [3, 4, 5]], [[0, 1, 1], [1, 1, 1]]])
            self.assertEqual([one.tolist() for one in session.run(made[:4], {x: 3.})], [[], 1, 0, 3])

    def test_training(self):
        with v1.Graph().as_default(), v1.Session() as session:
            x, y = v1.placeholder("float"), v1.placeholder("float")
            w = v1.get_variable("w", initializer=np.full((3, 2), 0.1, "float32"))
            b = v1.get_variable("b", initializer=np.zeros(2, "float32"))
            loss = -tf.reduce_sum(y * tf.math.log(tf.nn.softmax(tf.matmul(x, w) + b)))
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                session.run(train, {x: [[1., 2., 3.], [0., 1., 0.]], y: [[1., 0.], [0., 1.]]})
            np.testing.assert_allclose(session.run(w), [[0.1902, 0.0098], [0.1272, 0.0728], [0.3707, -0.1707]], atol=6e-5)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "two matrices are needed"):
                session.run(loss, {x: [1., 2., 3.], y: [[1., 0.]]})

    def test_what_needs_the_rank_is_named(self):
        with v1.Graph().as_default(), v1.Session() as session:
            x, w = v1.placeholder(tf.float32, name="X"), v1.get_variable("w", initializer=0.5)
            loss = tf.reduce_sum(tf.square(x * w - 1.)) / 3
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            session.run(v1.global_variables_initializer())
            session.run(train, {x: 1.})
            self.assertAlmostEqual(float(session.run(loss, {x: [1., 2.]})), 0.0740741, places=6)
            for one in (train, tf.gradients(loss, w)[0]):
                with self.assertRaisesRegex(tf.errors.UnimplementedError, "a gradient's op .* needs the number of axes of 'X:0', "
                                            r"which has no shape and was fed with \(2,\); write .*shape=\[None\]"):
                    session.run(one, {x: [1., 2.]})
            with self.assertRaisesRegex(tf.errors.UnimplementedError, r"the op 'ExpandDims.*' \(ExpandDims\) needs"):
                session.run(tf.expand_dims(x, 0), {x: [1., 2.]})


if __name__ == "__main__":
    unittest.main()
