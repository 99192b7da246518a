import os
import numpy as np
import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([1.0, 2.0], name="w")
        self.b = tf.Variable(0.5, name="b")


net = Net()
step = tf.Variable(3, dtype=tf.int64)
ckpt = tf.train.Checkpoint(net=net, step=step)
path = ckpt.save("ck/model")
print(path, sorted(os.listdir("ck")))
for name, shape in tf.train.list_variables(path):
    print(name, shape)
reader = tf.train.load_checkpoint("ck")
print(reader.has_tensor("net/w/.ATTRIBUTES/VARIABLE_VALUE"), reader.get_tensor("net/w/.ATTRIBUTES/VARIABLE_VALUE"))
print(sorted(reader.get_variable_to_dtype_map().items())[0])


class Bigger(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([0.0, 0.0])
        self.b = tf.Variable(0.0)
        self.extra = tf.Variable(9.0)


bigger = Bigger()
other = tf.train.Checkpoint(net=bigger)
status = other.restore(path)
print(bigger.w.numpy(), bigger.b.numpy(), bigger.extra.numpy())
for check in ("assert_existing_objects_matched", "assert_consumed", "expect_partial", "assert_nontrivial_match"):
    try:
        getattr(status, check)()
        print(check, "ok")
    except AssertionError as e:
        print(check, "AssertionError")
fresh = tf.train.Checkpoint()
status = fresh.restore(path)
fresh.net = Net()
fresh.net.w.assign([7.0, 7.0])
late = tf.train.Checkpoint()
late.restore(path)
late.step = tf.Variable(0, dtype=tf.int64)
print(late.step.numpy())
w_only = tf.train.Checkpoint(net=tf.train.Checkpoint(w=tf.Variable([0.0, 0.0])))
w_only.restore(path).expect_partial()
print(w_only.net.w.numpy())
bad = tf.train.Checkpoint(net=tf.train.Checkpoint(w=tf.Variable([0.0, 0.0, 0.0])))
try:
    bad.restore(path).expect_partial()
except ValueError as e:
    print("ValueError")
try:
    tf.train.Checkpoint(net=net).restore("ck/none-5")
except tf.errors.NotFoundError as e:
    print("NotFoundError")
manager = tf.train.CheckpointManager(ckpt, "managed", max_to_keep=2, checkpoint_name="m",
                                     step_counter=step, checkpoint_interval=2)
for i in range(5):
    step.assign_add(1)
    print(int(step), manager.save())
print(manager.checkpoints, manager.latest_checkpoint)
print(manager.restore_or_initialize())
print(tf.train.latest_checkpoint("managed"), tf.train.latest_checkpoint("empty"))
state = tf.train.get_checkpoint_state("managed")
print(state.model_checkpoint_path, list(state.all_model_checkpoint_paths))
print(tf.train.checkpoints_iterator is not None, tf.train.checkpoint_exists(path) if hasattr(tf.train, "checkpoint_exists") else "-")
lists = tf.train.Checkpoint(layers=[tf.Variable(1.0), tf.Variable(2.0)], table={"a": tf.Variable(3.0)})
p = lists.write("plain")
print(p, [n for n, _ in tf.train.list_variables(p)])
into = tf.train.Checkpoint(layers=[tf.Variable(0.0), tf.Variable(0.0)], table={"a": tf.Variable(0.0)})
into.read(p).assert_consumed()
print(into.layers[1].numpy(), into.table["a"].numpy())
model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,)), tf.keras.layers.Dense(1)])
opt = tf.keras.optimizers.Adam(0.01)
model.compile(opt, "mse")
model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
c = tf.train.Checkpoint(model=model, optimizer=opt)
p = c.save("k/ck")
print(len(tf.train.list_variables(p)), [n for n, _ in tf.train.list_variables(p)][:4])
