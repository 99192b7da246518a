"""Programs on meshes of devices: `tf.experimental.dtensor`."""

import unittest

import lockstep as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 4)
from lockstep.experimental import dtensor  # noqa: E402


def trained(place):
    """The bytes of the weights of a small network after some steps; `place(tensor, specs)` puts tensors somewhere."""
    x = place(tf.random.stateless_normal([8, 6], seed=(1, 2)), ["batch", dtensor.UNSHARDED])
    y = place(tf.random.stateless_normal([8, 2], seed=(3, 4)), ["batch", dtensor.UNSHARDED])
    first = place(tf.random.stateless_normal([6, 4], seed=(5, 6)), [dtensor.UNSHARDED, "model"])
    second = place(tf.random.stateless_normal([4, 2], seed=(7, 8)), ["model", dtensor.UNSHARDED])
    kind = dtensor.DVariable if dtensor.is_dtensor(first) else tf.Variable
    weights = [kind(first), kind(second)]

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(x, weights[0])), weights[1]) - y))
        for one, gradient in zip(weights, tape.gradient(loss, weights)):
            one.assign_sub(0.1 * gradient)
        return loss
    losses = [step(x, y).numpy().tobytes() for _ in range(5)]
    return losses, [one.numpy().tobytes() for one in weights]


class DTensor(unittest.TestCase):
    def setUp(self):
        self.mesh = dtensor.create_mesh([("batch", 2), ("model", 2)])

    def test_a_mesh_changes_no_bits(self):
        on_mesh = trained(lambda tensor, specs: dtensor.copy_to_mesh(tensor, dtensor.Layout(specs, self.mesh)))
        self.assertEqual(on_mesh, trained(lambda tensor, specs: tensor))

    def test_packed_parts_come_back(self):
        for specs in (["batch", "model"], ["model", "batch"], [dtensor.UNSHARDED, "batch"], [dtensor.UNSHARDED] * 2):
            layout = dtensor.Layout(specs, self.mesh)
            whole = dtensor.copy_to_mesh(tf.reshape(tf.range(32), [4, 8]), layout)
            parts = dtensor.unpack(whole)
            again = dtensor.pack(parts, layout)
            self.assertEqual(again.numpy().tolist(), whole.numpy().tolist())
            self.assertEqual([one.numpy().tolist() for one in dtensor.unpack(again)], [one.numpy().tolist() for one in parts])
            self.assertEqual(tuple(parts[0].shape), layout.local_shape_from_global_shape([4, 8]))

    def test_a_layout_belongs_to_one_tensor(self):
        plain = tf.constant([[1.0, 2.0]])
        dtensor.copy_to_mesh(plain, dtensor.Layout.replicated(self.mesh, 2))
        self.assertFalse(dtensor.is_dtensor(plain))
        self.assertFalse(dtensor.is_dtensor(plain + 1.0))

    def test_values_of_variables_have_their_layout(self):
        layout = dtensor.Layout(["batch", "model"], self.mesh)
        variable = dtensor.DVariable(dtensor.call_with_layout(tf.ones, layout, [4, 4]))
        self.assertEqual(dtensor.fetch_layout(variable * 2.0), layout)
        self.assertEqual(dtensor.fetch_layout(variable), layout)

    def test_texts_describe_meshes_and_layouts(self):
        layout = dtensor.Layout(["batch", dtensor.UNSHARDED], self.mesh)
        self.assertEqual(dtensor.Mesh.from_string(self.mesh.to_string()), self.mesh)
        self.assertEqual(dtensor.Layout.from_string(layout.to_string()), layout)


if __name__ == "__main__":
    unittest.main()
