import tensorflow as tf
import os, tempfile
d = tempfile.mkdtemp(); tf.keras.utils.set_random_seed(1)
net = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(5)])
opt = tf.keras.optimizers.Adam(0.1)
ckpt = tf.train.Checkpoint(step=tf.Variable(1), optimizer=opt, net=net)
manager = tf.train.CheckpointManager(ckpt, os.path.join(d, "tf_ckpts"), max_to_keep=3)
x = tf.range(10.)[:, None]; y = x * 5. + tf.range(5.)[None, :]
def train_step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(net(x) - y))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss
print(manager.latest_checkpoint)
for _ in range(50):
    loss = train_step(); ckpt.step.assign_add(1)
    if int(ckpt.step) % 10 == 0:
        path = manager.save(); print("Saved checkpoint for step {}: {} loss {:1.2f}".format(int(ckpt.step), os.path.basename(path), loss.numpy()))
print([os.path.basename(p) for p in manager.checkpoints], sorted(os.listdir(manager.directory))[:3])
kept = [w.numpy() for w in net.weights]
for _ in range(5): train_step()
ckpt.restore(manager.latest_checkpoint).assert_consumed(); print(int(ckpt.step), all((a == b.numpy()).all() for a, b in zip(kept, net.weights)), int(opt.iterations))
print("loss {:1.3f}".format(train_step().numpy()))
reader = tf.train.load_checkpoint(manager.directory)
shapes = reader.get_variable_to_shape_map(); types = reader.get_variable_to_dtype_map()
for key in sorted(shapes):
    if "/_trainable" not in key and "_variables" not in key: print(key, shapes[key], types[key])
print(reader.has_tensor("nothing"), tf.train.load_variable(manager.directory, "step/.ATTRIBUTES/VARIABLE_VALUE"), ("step/.ATTRIBUTES/VARIABLE_VALUE", []) in tf.train.list_variables(manager.directory))
save = tf.train.Checkpoint(); save.listed = [tf.Variable(1.)]; save.listed.append(tf.Variable(2.)); save.mapped = {"one": save.listed[0]}; save.mapped["two"] = save.listed[1]
p = save.save(os.path.join(d, "lists")); restore = tf.train.Checkpoint(); v2 = tf.Variable(0.); restore.mapped = {"two": v2}; restore.restore(p); print(v2.numpy())
m = tf.Module(); m.v = tf.Variable([1., 2.]); m.w = [tf.Variable(3)]; c = tf.train.Checkpoint(m); pp = c.write(os.path.join(d, "mod")); m.v.assign([0., 0.]); c.read(pp).assert_consumed(); print(m.v.numpy())
c = tf.train.Checkpoint(v=tf.Variable(1.)); q = c.save(os.path.join(d, "cc/x")); print(os.path.basename(q), int(c.save_counter)); q = c.save(os.path.join(d, "cc/x")); print(tf.train.latest_checkpoint(os.path.join(d, "cc")).endswith("x-2"), tf.train.get_checkpoint_state(os.path.join(d, "cc")).model_checkpoint_path.endswith("x-2"))
try: tf.train.Checkpoint(z=tf.Variable(1.)).restore(q).assert_consumed()
except AssertionError as e: print("AssertionError")
try: tf.train.Checkpoint(v=tf.Variable([1., 2.])).restore(q)
except ValueError as e: print("ValueError")
try: tf.train.Checkpoint(v=tf.Variable(1.)).restore(os.path.join(d, "missing"))
except tf.errors.NotFoundError as e: print("NotFoundError")
late = tf.train.Checkpoint(); st = late.restore(q); late.v = tf.Variable(0.); print(late.v.numpy()); st.assert_consumed()
