"""What a program lets go of is freed, weights included: nothing native keeps it unseen by Python's collector."""

import gc
import unittest
import weakref

import lockstep as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
LARGE = 5000  # elements, more than what eager results keep for version 1


def net():
    return tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(LARGE), tf.keras.layers.Dense(1)])


def trained(model, **options):
    model.compile("adam", "mse", metrics=["mae", tf.keras.metrics.MeanSquaredError()], **options)
    model.fit(tf.ones([4, 3]), tf.ones([4, 1]), batch_size=2, verbose=0,
              callbacks=[tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: model.optimizer)])
    model.evaluate(tf.ones([4, 3]), tf.ones([4, 1]), verbose=0)
    model.predict(tf.ones([4, 3]), verbose=0)
    return model


class OwnModel(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(LARGE)
        self.outer = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.outer(self.inner(x))


class OwnStep(OwnModel):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


class OwnFunction:
    def __init__(self):
        self.total = tf.Variable(tf.zeros([LARGE]))

    @tf.function
    def add(self, x):
        self.total.assign_add(x)
        return tf.reduce_sum(self.total)


def in_a_function():
    v = tf.Variable(tf.zeros([LARGE]))

    @tf.function
    def first():
        return v[0] + tf.reduce_sum(v)
    first()
    return v


def in_a_method():
    made = OwnFunction()
    made.add(tf.ones([LARGE]))
    return made.total


def in_a_loop_of_ones_own(strategy=None):
    strategy = strategy or tf.distribute.get_strategy()
    with strategy.scope():
        model, optimizer = net(), tf.keras.optimizers.Adam()

    def replica_step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x, training=True) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    @tf.function
    def step(x):
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica_step, args=(x,)), axis=None)
    for batch in strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors(tf.ones([4, 3]))):
        step(batch)
    return model


def in_a_dataset():
    v = tf.Variable(tf.zeros([LARGE]))
    list(tf.data.Dataset.range(3).map(lambda i: v[0] + tf.cast(i, tf.float32)))
    return v


def in_a_graph():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        w = tf.compat.v1.get_variable("w", [LARGE])
        loss = tf.reduce_sum(w)
        step = tf.compat.v1.train.AdamOptimizer().minimize(loss)
        session.run(tf.compat.v1.global_variables_initializer())
        session.run([step, loss])
    return w


def eager():
    v = tf.Variable(tf.ones([LARGE]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    v.assign_sub(tape.gradient(loss, v))
    return v


def under(make):
    def of_a_strategy():
        strategy = make()
        with strategy.scope():
            return trained(net())
    return of_a_strategy


class Freed(unittest.TestCase):
    def test_what_a_program_lets_go_of(self):
        for name, work in {
                "eager": eager, "function": in_a_function, "method": in_a_method, "dataset": in_a_dataset, "graph": in_a_graph,
                "custom loop": in_a_loop_of_ones_own,
                "custom loop, mirrored": lambda: in_a_loop_of_ones_own(tf.distribute.MirroredStrategy()),
                "fit": lambda: trained(net()), "fit, subclassed": lambda: trained(OwnModel()),
                "fit, own step": lambda: trained(OwnStep()), "fit, eagerly": lambda: trained(net(), run_eagerly=True),
                "fit, mirrored": under(tf.distribute.MirroredStrategy),
                "fit, central": under(tf.distribute.experimental.CentralStorageStrategy)}.items():
            with self.subTest(name):
                gone = weakref.ref(work())
                gc.collect()
                self.assertIsNone(gone())

    def test_the_graph_of_a_variable_goes_with_its_graph_object(self):
        with tf.Graph().as_default() as graph:
            w = tf.compat.v1.get_variable("w", [2])
            doubled = w * 2
        self.assertIs(w.graph, graph)
        self.assertIs(doubled.graph, graph)
        self.assertIs(doubled.op.graph, graph)
        del graph
        gc.collect()
        self.assertIsNone(w.graph)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "keep the Graph as long as its tensors"):
            tf.compat.v1.Session(graph=tf.Graph()).run(doubled)


if __name__ == "__main__":
    unittest.main()
