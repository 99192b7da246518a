import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()


def whole(session, variable):
    return session.run(tf.convert_to_tensor(variable))


with tf.Graph().as_default(), v1.Session() as session:
    table = v1.get_variable("table", [5, 2], initializer=v1.constant_initializer(0.5), partitioner=v1.fixed_size_partitioner(2))
    side = v1.get_variable("side", [2, 3], initializer=v1.ones_initializer(), partitioner=v1.fixed_size_partitioner(3, axis=1))
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 4]) @ tf.convert_to_tensor(side))
    train = v1.train.AdamOptimizer(0.1, name="Own").minimize(loss)
    average = tf.train.ExponentialMovingAverage(0.5)
    update = average.apply(list(table))
    saver = v1.train.Saver()
    session.run(v1.global_variables_initializer())
    session.run(train)
    session.run(update)
    path = saver.save(session, "saved/model", global_step=3)
    first, second = whole(session, table), whole(session, side)
    print(first.tolist())
    session.run(v1.global_variables_initializer())
    saver.restore(session, path)
    print(np.array_equal(first, whole(session, table)), np.array_equal(second, whole(session, side)))
for name, shape in tf.train.list_variables(path):
    print(name, shape, np.round(tf.train.load_variable(path, name), 3).tolist())

with tf.Graph().as_default(), v1.Session() as session:
    table = v1.get_variable("table", [5, 2], partitioner=v1.fixed_size_partitioner(3))
    side = v1.get_variable("side", [2, 3])
    v1.train.Saver().restore(session, path)
    print([one.name for one in table], np.array_equal(first, whole(session, table)), np.array_equal(second, session.run(side)))

with tf.Graph().as_default(), v1.Session() as session:
    saver = v1.train.import_meta_graph(path + ".meta")
    saver.restore(session, path)
    part = next(one for one in v1.global_variables() if one.name == "table/part_0:0")
    print([one.name for one in v1.trainable_variables()], np.array_equal(session.run(part), first[:3]))
    print([name for name, _ in tf.train.list_variables(saver.save(session, "saved/again"))])
