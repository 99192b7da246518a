import tensorflow as tf

strategy = tf.distribute.experimental.CentralStorageStrategy()
print("replicas:", strategy.num_replicas_in_sync)
with strategy.scope():
    weight = tf.Variable(tf.ones((3, 2)), name="weight")
    bias = tf.Variable(tf.zeros((2,)), name="bias")
print(weight.shape, weight.dtype, weight.name)
print(bias.numpy(), bias.trainable)
print("CPU:0" in weight.device)

@tf.function
def train_step(x):
    def step_fn(x):
        with tf.GradientTape() as tape:
            y = tf.matmul(x, weight) + bias
            loss = tf.reduce_mean(tf.square(y))
        grads = tape.gradient(loss, [weight, bias])
        return loss, grads
    loss, grads = strategy.run(step_fn, args=(x,))
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, loss, axis=None), grads

x = tf.reshape(tf.range(6, dtype=tf.float32), (2, 3))
loss, grads = train_step(x)
print("loss", loss.numpy())
print("grad", grads[0].numpy())
print("bias grad", grads[1].numpy())
weight.assign_sub(0.1 * grads[0])
print(weight.numpy())
