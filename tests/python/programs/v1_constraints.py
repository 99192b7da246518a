# Version 1: constraints of variables, options of get_variable, factors of gradients, checkpoints that stay.
import os
import tensorflow as tf

v1 = tf.compat.v1


def clip(x):
    return tf.clip_by_value(x, 0.0, 1.0)


def slope(*variables):
    return tf.add_n([tf.reduce_sum(one * [5.0, -5.0]) for one in variables])


optimizers = {"sgd": lambda: v1.train.GradientDescentOptimizer(1.0), "adam": lambda: v1.train.AdamOptimizer(1.0),
              "momentum": lambda: v1.train.MomentumOptimizer(1.0, 0.9), "adagrad": lambda: v1.train.AdagradOptimizer(1.0)}
for name, make in optimizers.items():
    with tf.Graph().as_default():
        v = v1.get_variable("v", [2], initializer=v1.constant_initializer(0.5), constraint=clip,
                            aggregation=tf.VariableAggregation.MEAN, synchronization=tf.VariableSynchronization.ON_READ)
        w = v1.Variable([0.5, 0.5], constraint=clip)
        u = v1.Variable([0.5, 0.5])
        print(name, v.constraint is clip, w.constraint is clip, u.constraint, v.aggregation.name, v.synchronization.name)
        step = make().minimize(slope(v, w, u), var_list=[v, w, u])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(2):
                session.run(step)
            print([one.round(4).tolist() for one in session.run([v, w, u])])
    eager = tf.Variable([0.5, 0.5], constraint=clip)
    with tf.GradientTape() as tape:
        loss = slope(eager)
    make().apply_gradients([(tape.gradient(loss, eager), eager)])
    print("eager", eager.numpy().tolist())

with tf.Graph().as_default():
    with v1.variable_scope("scope", constraint=clip):
        inner = v1.get_variable("inner", [2], initializer=v1.zeros_initializer())
    parts = v1.get_variable("parts", [4], constraint=clip, partitioner=v1.fixed_size_partitioner(2))
    print(inner.constraint is clip, [one.constraint is clip for one in parts])
    x = v1.get_variable("x", [2], initializer=v1.ones_initializer())
    optimizer = v1.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(x * x, [x], grad_loss=tf.constant([1.0, 10.0]))
    step = optimizer.minimize(x * x, var_list=[x], grad_loss=tf.constant([1.0, 10.0]), name="step")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        print(session.run(pairs[0][0]), session.run([step, x])[0], session.run(x), step.name)

x = tf.Variable([1.0, 1.0])
made = v1.train.GradientDescentOptimizer(0.5).compute_gradients(lambda: x * x, [x], grad_loss=tf.constant([1.0, 10.0]))
print(made[0][0].numpy())

with tf.Graph().as_default():
    v1.get_variable("a", [1])
    often = v1.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    seldom = v1.train.Saver(max_to_keep=1)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for step in range(3):
            often.save(session, "often/m", step, latest_filename="newest")
            seldom.save(session, "seldom/m", step)
print(sorted(one for one in os.listdir("often") if one.endswith("index")), sorted(
    one for one in os.listdir("seldom") if one.endswith("index")))
print(tf.train.latest_checkpoint("often"), tf.train.latest_checkpoint("often", latest_filename="newest"),
      tf.train.latest_checkpoint("seldom"), tf.train.latest_checkpoint("seldom", latest_filename="none"))
for function in (tf.math.reduce_variance, tf.math.reduce_std):
    try:
        print(function([1, 2, 3]))
    except TypeError as error:
        print("TypeError", error)
