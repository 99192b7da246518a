import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
with tf.name_scope("outer"), tf.variable_scope("vs"):
    gs = tf.train.get_or_create_global_step(); print(gs.name, tf.train.get_global_step() is gs)
st = tf.get_variable("st", [3, 2], initializer=tf.zeros_initializer())
ops = [tf.scatter_add(st, [1, 2], 2.0), tf.scatter_update(st, 0, 5.0), tf.scatter_mul(st, [[0, 1]], 3.0), tf.scatter_sub(st, [2], tf.constant(1.0))]
with tf.Session() as s:
    s.run(tf.global_variables_initializer()); print(s.run(gs.assign_add(1)))
    for one in ops: s.run(one); print(s.run(st).tolist())
