import lockstep as tf

cluster_resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if cluster_resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(cluster_resolver.cluster_spec(), job_name=cluster_resolver.task_type,
                                  task_index=cluster_resolver.task_id)
    server.join()

strategy = tf.distribute.experimental.ParameterServerStrategy(cluster_resolver=cluster_resolver)

with strategy.scope():
    # Explicit placement on parameter server
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(tf.random.normal([784, 10]))
print(w.device)

truth = tf.random.stateless_normal([784, 10], seed=[1, 2])


@tf.function
def step(number):
    with tf.device("/job:worker"):
        x = tf.random.stateless_normal([32, 784], seed=tf.stack([3, number]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.matmul(x, truth)))
        gradient = tape.gradient(loss, w)
    with tf.device("/job:ps/task:0"):
        w.assign_sub(0.1 * gradient)
    return loss


coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
losses = [coordinator.schedule(step, args=(tf.constant(i),)) for i in range(200)]
coordinator.join()
first, last = losses[0].fetch(), losses[-1].fetch()
print("the loss falls to less than a hundredth:", bool(last < first / 100))
