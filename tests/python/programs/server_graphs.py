"""compat.v1: a chief and a worker share a queue and a variable; MonitoredTrainingSession stops both."""
import socket, threading
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def port():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); p = s.getsockname()[1]; s.close(); return p
cluster = tf.train.ClusterSpec({"ps": [f"127.0.0.1:{port()}"], "worker": [f"127.0.0.1:{port()}" for _ in range(2)]})
config = tf.ConfigProto(inter_op_parallelism_threads=4)
ps = tf.train.Server(cluster, "ps", 0, config=config)
workers = [tf.train.Server(cluster, "worker", i, config=config) for i in range(2)]
print(cluster.as_dict().keys(), cluster.num_tasks("worker"), cluster.job_tasks("ps") == cluster.as_dict()["ps"], workers[1].server_def.task_index)
def build(index):
    graph = tf.Graph()
    with graph.as_default():
        with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{index}")):
            step = tf.train.get_or_create_global_step()
            w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
            b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
            x = tf.constant([1.0, 2.0]) * (index + 1)
            loss = tf.reduce_sum(tf.square(w * x + b))
            grads = tf.gradients(loss, [w, b])
            up = tf.train.GradientDescentOptimizer(0.01).apply_gradients(zip(grads, [w, b]), global_step=step)
    return graph, step, w, b, loss, up, x
lock = threading.Lock()
graph, step, w, b, loss, up, x = build(0)
print([v.device for v in (step, w, b)], x.device, loss.device)
with graph.as_default(), tf.train.MonitoredTrainingSession(workers[0].target, is_chief=True, hooks=[tf.train.StopAtStepHook(last_step=3)]) as session:
    n = 0
    while not session.should_stop():
        l, _ = session.run([loss, up]); n += 1
        print(f"{l:.4f}")
print(n)
g2, step2, w2, b2, loss2, up2, x2 = build(1)
with g2.as_default(), tf.train.MonitoredTrainingSession(workers[1].target, is_chief=False, hooks=[tf.train.StopAtStepHook(num_steps=2)]) as session:
    while not session.should_stop():
        l, _, s = session.run([loss2, up2, step2])
        print(f"{l:.4f}")
with g2.as_default(), tf.Session(ps.target) as s:
    print(s.run(step2), s.run([w2, b2])[0].round(4).tolist(), round(float(s.run(b2)), 4))
    print(len(s.run(tf.report_uninitialized_variables())))
    s.run(w2.assign([7.0, 8.0]))
with graph.as_default(), tf.Session(workers[0].target) as s:
    print(s.run(w))
    print(s.run([w, tf.control_dependencies and step]))
tf.reset_default_graph()
with tf.Session(ps.target) as s:
    with tf.device("/job:ps/task:0"): a = tf.Variable([1, 2], name="a")
    with tf.device("/job:worker/task:1"): c = a * 3
    s.run(a.initializer); print(s.run(c), c.device)
    with tf.device("/job:worker/task:5"): d = a + 1
    try: s.run(d)
    except tf.errors.InvalidArgumentError as e: print("InvalidArgument", "task:5" in str(e))
