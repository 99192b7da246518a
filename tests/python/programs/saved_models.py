"""Programs that save functions and load them again."""
import tempfile
import tensorflow as tf


def folder():
    return tempfile.mkdtemp()


class Adder(tf.Module):
    def __init__(self):
        super().__init__()
        self.bias = tf.Variable([1.0, 2.0], name="bias")
        self.steps = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="rows")])
    def add(self, rows):
        self.steps.assign_add(1)
        return rows + self.bias

    @tf.function
    def scaled(self, x, factor=2.0, power=True):
        y = x * factor
        return y ** 2 if power else y


path = folder()
adder = Adder()
adder.scaled(tf.constant(3.0))
adder.scaled(tf.constant([1.0, 2.0]), power=False)
tf.saved_model.save(adder, path)
print(tf.saved_model.contains_saved_model(path), tf.saved_model.contains_saved_model(folder()))
loaded = tf.saved_model.load(path)
print(loaded.add(tf.constant([[1.0, 1.0]])).numpy(), loaded.steps.numpy(), loaded.bias.trainable, loaded.steps.trainable)
print(loaded.scaled(tf.constant(3.0)).numpy(), loaded.scaled(tf.constant([1.0, 2.0]), 2.0, False).numpy())
print(loaded.bias.name, list(loaded.signatures), len(loaded.signatures))
infer = loaded.signatures["serving_default"]
print(infer.structured_input_signature)
print(infer.structured_outputs)
print(infer(rows=tf.constant([[0.0, 0.0]])))
print(infer(tf.constant([[0.0, 0.0]]))["output_0"].numpy())
try:
    loaded.scaled(tf.constant(3.0), factor=4.0)
except ValueError as error:
    print(str(error).split("Got:")[0])
try:
    infer(other=tf.constant([[0.0, 0.0]]))
except TypeError as error:
    print(str(error)[:60])
try:
    tf.saved_model.load(folder())
except OSError as error:
    print(type(error).__name__, "SavedModel file does not exist at:" in str(error))

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(loaded.add(tf.constant([[1.0, 1.0], [2.0, 2.0]])) ** 2)
print(tape.gradient(loss, loaded.bias).numpy())


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Adder(), Adder()]
        self.named = {"a": Adder()}
        self.pair = (tf.Variable(1.0), tf.Variable(2.0))

    @tf.function
    def __call__(self, x):
        for one in self.layers:
            x = x + one.bias
        return x * self.pair[1]


net = Net()
print(net(tf.constant([1.0, 1.0])).numpy())
path = folder()
tf.saved_model.save(net, path)
again = tf.saved_model.load(path)
print(again(tf.constant([1.0, 1.0])).numpy(), len(again.layers), again.layers[1].bias.numpy(), again.named["a"].bias.numpy())
print([one.numpy() for one in again.pair], list(again.signatures))
again.layers[0].bias.assign([5.0, 5.0])
print(again(tf.constant([1.0, 1.0])).numpy())

module = tf.Module()
module.v = tf.Variable(3.0)
module.square = tf.function(lambda x: {"y": x * x, "v": module.v + x})
concrete = module.square.get_concrete_function(tf.TensorSpec([], tf.float32, name="x"))
path = folder()
tf.saved_model.save(module, path, signatures={"square": concrete})
print(tf.saved_model.load(path).signatures["square"](x=tf.constant(4.0)))
hidden = tf.Variable(1.0)
module.bad = tf.function(lambda x: x + hidden, input_signature=[tf.TensorSpec([])])
try:
    tf.saved_model.save(module, folder())
except AssertionError as error:
    print("untracked" in str(error))
try:
    tf.saved_model.save(tf.Module(), folder(), signatures=tf.function(lambda x: x))
except ValueError as error:
    print(str(error)[:75])

model = tf.keras.Sequential([tf.keras.Input((3,), name="features"), tf.keras.layers.Dense(2, kernel_initializer="ones")])
path = folder()
model.export(path, verbose=False)
served = tf.saved_model.load(path)
print(sorted(served.signatures), served.serve(tf.constant([[1.0, 2.0, 3.0]])).numpy())
print(served.signatures["serving_default"].structured_input_signature)
print([one.shape for one in served.trainable_variables], len(served.non_trainable_variables))
layer = tf.keras.layers.TFSMLayer(path, call_endpoint="serving_default")
print(layer(tf.constant([[1.0, 2.0, 3.0]])), len(layer.weights))
checkpoint = tf.train.Checkpoint(v=tf.Variable(5.0))
path = folder()
tf.saved_model.save(checkpoint, path)
print(tf.saved_model.load(path).v.numpy())
print(tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY, tf.saved_model.SERVING, tf.saved_model.PREDICT_METHOD_NAME)
tf.saved_model.save(adder, folder(), options=tf.saved_model.SaveOptions(experimental_custom_gradients=False))
path = folder()
tf.saved_model.save(model, path)
whole = tf.saved_model.load(path)
print(list(whole.signatures), whole.signatures["serving_default"].structured_outputs)
