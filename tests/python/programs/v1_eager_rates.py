# Version 1's learning rates where ops run eagerly: functions, which optimizers ask at each update.
import tensorflow as tf

train = tf.compat.v1.train


def rates(make):
    return ["%.5f" % float(make(step)()) for step in (0, 1, 5, 10, 20)]


print(rates(lambda s: train.exponential_decay(1.0, s, 10, 0.5, staircase=True)))
print(rates(lambda s: train.polynomial_decay(1.0, s, 10, end_learning_rate=0.1, power=2.0, cycle=True)))
print(rates(lambda s: train.piecewise_constant(s, [5, 10], [1.0, 0.5, 0.1])))
print(rates(lambda s: train.inverse_time_decay(1.0, s, 10, 0.5, staircase=True)))
print(rates(lambda s: train.natural_exp_decay(1.0, s, 10, 0.5)))
print(rates(lambda s: train.cosine_decay(1.0, s, 10, alpha=0.1)))
print(rates(lambda s: train.cosine_decay_restarts(1.0, s, 5, t_mul=1.5, m_mul=0.9, alpha=0.1)))
print(rates(lambda s: train.linear_cosine_decay(1.0, s, 10, num_periods=0.7, alpha=0.1, beta=0.01)))


def trained(make):
    step, v = tf.Variable(0, dtype=tf.int64), tf.Variable([1.0, 2.0])
    optimizer, made = make(train.exponential_decay(1.0, step, 1, 0.5)), []
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)], global_step=step)
        made.append(["%.4f" % one for one in v.numpy()])
    return made


for optimizer in (train.GradientDescentOptimizer, lambda r: train.MomentumOptimizer(r, 0.9), train.AdamOptimizer,
                  train.RMSPropOptimizer, train.AdagradOptimizer):
    print(trained(optimizer))
print(trained(lambda r: train.GradientDescentOptimizer(lambda: 0.5)))
step = tf.Variable(0)
rate = tf.function(lambda: train.exponential_decay(1.0, step, 1, 0.5))
print(rate().numpy(), step.assign(2).numpy(), rate().numpy())
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    print(session.run(train.exponential_decay(1.0, 3, 1, 0.5)))
print(tf.nn.max_pool(tf.reshape(tf.range(16), (1, 4, 4, 1)), 2, 2, "VALID").numpy().reshape(-1))
print(list(tf.data.experimental.from_list([[1], [2, 3]]).as_numpy_iterator()),
      tf.data.experimental.from_list([([1], 2), ([2, 3], 4)]).element_spec)
