import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
x = v1.get_variable("x", initializer=tf.constant([1., 2.]))
loss = tf.reduce_sum(x * x)
for o in (v1.train.GradientDescentOptimizer(.1), v1.train.GradientDescentOptimizer(.1), v1.train.AdamOptimizer(.1), v1.train.MomentumOptimizer(.1, .9), v1.train.RMSPropOptimizer(.1), v1.train.AdagradOptimizer(.1)):
    t = o.minimize(loss)
    print(t.name, t.type, o.get_name())
gs = v1.train.get_or_create_global_step()
t = v1.train.GradientDescentOptimizer(.1).minimize(loss, gs, name="train_op"); print(t.name)
t = v1.train.GradientDescentOptimizer(.1, name="mine").apply_gradients([(tf.constant([1., 1.]), x)]); print(t.name)
with v1.name_scope("sc"):
    print(v1.train.AdamOptimizer().minimize(loss).name)
with v1.Session() as s:
    s.run(v1.global_variables_initializer()); s.run("train_op"); print(s.run([x, gs])); s.run("GradientDescent"); print(s.run(x))
    print(v1.get_default_graph().get_operation_by_name("Adam").name)
    s.run(tf.group(t, t)); print(s.run(x))
