import tensorflow as tf
import numpy as np
import os, tempfile
tf.random.set_seed(3)
folder = tempfile.mkdtemp()
class Net(tf.keras.Model):
    """A simple linear model."""

    def __init__(self):
        super().__init__()
        self.l1 = tf.keras.layers.Dense(5, kernel_initializer="ones")

    def call(self, x):
        return self.l1(x)
net = Net()
def toy_dataset():
    inputs = tf.range(10.)[:, None]
    labels = inputs * 5. + tf.range(5.)[None, :]
    return tf.data.Dataset.from_tensor_slices(dict(x=inputs, y=labels)).repeat().batch(2)
def train_step(net, example, optimizer):
    with tf.GradientTape() as tape:
        output = net(example["x"])
        loss = tf.reduce_mean(tf.abs(output - example["y"]))
    variables = net.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss
opt = tf.keras.optimizers.Adam(0.1)
dataset = toy_dataset()
iterator = iter(dataset)
ckpt = tf.train.Checkpoint(step=tf.Variable(1), optimizer=opt, net=net, iterator=iterator)
manager = tf.train.CheckpointManager(ckpt, folder + "/tf_ckpts", max_to_keep=3)
def train_and_checkpoint(net, manager):
    ckpt.restore(manager.latest_checkpoint)
    if manager.latest_checkpoint:
        print("Restored from {}".format(os.path.basename(manager.latest_checkpoint)))
    else:
        print("Initializing from scratch.")
    for _ in range(50):
        example = next(iterator)
        loss = train_step(net, example, opt)
        ckpt.step.assign_add(1)
        if int(ckpt.step) % 10 == 0:
            save_path = manager.save()
            print("Saved checkpoint for step {}: {}".format(int(ckpt.step), os.path.basename(save_path)))
            print("loss {:1.2f}".format(loss.numpy()))
train_and_checkpoint(net, manager)
opt = tf.keras.optimizers.Adam(0.1)
net = Net()
dataset = toy_dataset()
iterator = iter(dataset)
ckpt = tf.train.Checkpoint(step=tf.Variable(1), optimizer=opt, net=net, iterator=iterator)
manager = tf.train.CheckpointManager(ckpt, folder + "/tf_ckpts", max_to_keep=3)
print([os.path.basename(p) for p in manager.checkpoints])
print(sorted(os.listdir(folder + "/tf_ckpts")))
to_restore = tf.Variable(tf.zeros([5]))
print(to_restore.numpy())
fake_layer = tf.train.Checkpoint(bias=to_restore)
fake_net = tf.train.Checkpoint(l1=fake_layer)
new_root = tf.train.Checkpoint(net=fake_net)
status = new_root.restore(tf.train.latest_checkpoint(folder + "/tf_ckpts/"))
print(np.round(to_restore.numpy(), 2).shape)
status.assert_existing_objects_matched()
deferred_kernel = tf.Variable(tf.zeros([1, 5]))
fake_layer.kernel = deferred_kernel
print(deferred_kernel.numpy().any())
reader = tf.train.load_checkpoint(folder + "/tf_ckpts/")
shapes = reader.get_variable_to_shape_map()
dtypes = reader.get_variable_to_dtype_map()
print(sorted(k for k in shapes if k.startswith("net") or k.startswith("step") or "save_counter" in k))
key = "net/l1/kernel/.ATTRIBUTES/VARIABLE_VALUE"
print([n for n, s in tf.train.list_variables(tf.train.latest_checkpoint(folder + "/tf_ckpts")) if n.startswith("net")])
save = tf.train.Checkpoint()
save.listed = [tf.Variable(1.)]
save.listed.append(tf.Variable(2.))
save.mapped = {"one": save.listed[0]}
save.mapped["two"] = save.listed[1]
save_path = save.save(folder + "/tf_list_example")
restore = tf.train.Checkpoint()
v2 = tf.Variable(0.)
print(v2.numpy())
restore.mapped = {"two": v2}
restore.restore(save_path)
print(v2.numpy())
restore.listed = []
v1 = tf.Variable(0.)
restore.listed.append(v1)
try:
    tf.train.Checkpoint(other=tf.Variable([1., 2.])).restore(save_path).assert_consumed()
except AssertionError as e:
    print("AssertionError")
try:
    tf.train.Checkpoint(a=1).save("x")
except Exception as e:
    print(type(e).__name__)
