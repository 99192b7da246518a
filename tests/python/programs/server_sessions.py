import tensorflow as tf
import socket
import numpy as np
v1 = tf.compat.v1
v1.disable_eager_execution()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


cluster = tf.train.ClusterSpec({"ps": [f"127.0.0.1:{free_port()}" for _ in range(2)],
                                "worker": [f"127.0.0.1:{free_port()}" for _ in range(2)]})
servers = {(job, i): tf.distribute.Server(cluster, job_name=job, task_index=i) for job in ("ps", "worker") for i in range(2)}
one, two = servers["worker", 0].target, servers["worker", 1].target
print(one.startswith("grpc://127.0.0.1") or one.startswith("grpc://localhost"))

# Variables on servers, which two graphs of one shape share.
def build(index):
    graph = tf.Graph()
    with graph.as_default(), v1.device(v1.train.replica_device_setter(
            worker_device=f"/job:worker/task:{index}", cluster=cluster)):
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        w = v1.get_variable("w", [2], initializer=v1.random_normal_initializer(seed=3))
        fed = v1.placeholder(tf.float32, [2], name="fed")
        made = {"v": v, "w": w, "fed": fed, "sum": v * fed + w - w, "add": v.assign_add(fed),
                "init": v1.global_variables_initializer(), "missing": v1.report_uninitialized_variables(),
                "host": v1.py_func(lambda x: (x * 2).astype(np.float32), [v + fed], tf.float32)}
        made["host"].set_shape([2])
        made["behind"] = made["host"] * 10. + v
    return graph, made


(first, a), (second, b) = build(0), build(1)
print(a["v"].device, a["w"].device, a["sum"].device, b["sum"].device)
with v1.Session(one, graph=first) as sess, v1.Session(two, graph=second) as other:
    print(sorted(other.run(b["missing"]).tolist()))
    sess.run(a["init"])
    print(other.run(b["missing"]).tolist(), other.run(b["v"]), (sess.run(a["w"]) == other.run(b["w"])).all())
    print(sess.run(a["add"], {a["fed"]: [1, 2]}), other.run(b["add"], {b["fed"]: [10, 20]}), sess.run(a["v"]))
    print(sess.run([a["sum"], a["host"], a["behind"]], {a["fed"]: [1, 1]}))
with v1.Session(two, graph=second) as again:
    print(again.run(b["v"]))
try:
    other.run(b["v"])
except RuntimeError as e:
    print(str(e)[:34])

# A queue on a server: one for all who name it.
graph = tf.Graph()
with graph.as_default():
    def queue():
        with tf.device("/job:ps/task:1"):
            return v1.FIFOQueue(3, [tf.int32, tf.string], shapes=[(), ()], shared_name="jobs")
    q, same = queue(), queue()
    put, take, size, close = q.enqueue_many([[1, 2, 3], ["a", "b", "c"]]), same.dequeue(), q.size(), q.close()
    many = same.dequeue_up_to(5)
    with v1.Session(one) as sess, v1.Session(two) as other:
        sess.run(put)
        print(other.run(size), [int(x) if isinstance(x, np.integer) else x for x in other.run(take)])
        sess.run(close)
        print([x.tolist() for x in other.run(many)])
        try:
            other.run(take)
        except tf.errors.OutOfRangeError:
            print("at its end")
        try:
            sess.run(put)
        except tf.errors.CancelledError:
            print("closed")

# Gradients gathered on a server.
graph = tf.Graph()
with graph.as_default():
    with tf.device("/job:ps/task:0"):
        acc = v1.ConditionalAccumulator(tf.float32, shape=[2], shared_name="acc")
    given = v1.placeholder(tf.float32, [2])
    apply, late, take, count = acc.apply_grad(given, local_step=0), acc.apply_grad(given, local_step=1), acc.take_grad(
        2), acc.num_accumulated()
    with v1.Session(one) as sess, v1.Session(two) as other:
        sess.run(apply, {given: [1., 2.]})
        other.run(apply, {given: [3., 6.]})
        print(other.run(count), other.run(take))
        sess.run(apply, {given: [1., 2.]})  # of the step before
        sess.run(late, {given: [1., 2.]})
        print(sess.run(count))
        sess.run(acc.set_global_step(7))
        sess.run(late, {given: [1., 2.]})
        print(sess.run(count))

# A replica that trains by gathered gradients.
graph = tf.Graph()
with graph.as_default():
    with v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=cluster)):
        x = tf.constant([[1., 2.], [3., 4.]])
        k = v1.get_variable("kernel", [2, 1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, k) - [[5.], [11.]]))
        step = v1.train.get_or_create_global_step()
        opt = v1.train.SyncReplicasOptimizer(v1.train.MomentumOptimizer(0.01, 0.9), replicas_to_aggregate=1,
                                             total_num_replicas=1)
        train = opt.minimize(loss, global_step=step)
    hook = opt.make_session_run_hook(is_chief=True)
    print(opt.get_slot_names(), opt.get_slot(k, "momentum").shape, k.device, step.device)
    sess = v1.train.MonitoredTrainingSession(master=one, is_chief=True, hooks=[hook])
    print([int(sess.run(train)) for _ in range(5)])
    print(sess.run(step), np.round(sess.run(k).ravel(), 5), np.round(sess.run(loss), 5))

import sys, os
sys.stdout.flush()
os._exit(0)  # TensorFlow's servers end in no other way
