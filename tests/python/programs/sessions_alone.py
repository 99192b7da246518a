# What a session has for itself: queues, accumulators; and what it does to its graph: MonitoredSession finalizes it.
import os
import tempfile

import tensorflow as tf

v1 = tf.compat.v1


def attempt(what, f):
    try:
        print(what, "->", f())
    except Exception as error:
        print(what, "!!", type(error).__name__ if not isinstance(error, tf.errors.OpError) else error.error_code)


with tf.Graph().as_default():
    q = v1.FIFOQueue(4, tf.int32, shapes=[()], name="q")
    en, many, de, n, cl = q.enqueue(7), q.enqueue_many([[1, 2]]), q.dequeue(), q.size(), q.close()
    with v1.Session() as s:
        s.run(en)
        s.run(many)
        print(s.run(n), s.run(de), s.run(n))
    with v1.Session() as s:
        print(s.run(n))
        s.run(en)
        print(s.run(de), s.run(n))
        s.run(cl)
        attempt("closed", lambda: s.run(en))
        attempt("closed", lambda: s.run(de))
        print(s.run(q.is_closed()))
    one, other = v1.Session(), v1.Session()
    one.run(en)
    one.run(en)
    other.run(many)
    print(one.run(n), other.run(n), one.run(de), other.run(de), other.run(de), one.run(n), other.run(n))
    one.run(cl)
    print(one.run(q.is_closed()), other.run(q.is_closed()))
    b = v1.train.batch([v1.train.input_producer(tf.range(6), shuffle=False, num_epochs=1).dequeue()], 2)
    for _ in range(2):
        with v1.Session() as s:
            s.run(v1.local_variables_initializer())
            coordinator, out = v1.train.Coordinator(), []
            threads = v1.train.start_queue_runners(s, coordinator)
            try:
                while True:
                    out.append(s.run(b).tolist())
            except tf.errors.OutOfRangeError:
                out.append("end")
            coordinator.request_stop()
            coordinator.join(threads)
            print(out)
    sums = v1.ConditionalAccumulator(tf.float32, shape=[2])
    apply, count, take = sums.apply_grad([1.0, 2.0]), sums.num_accumulated(), sums.take_grad(1)
    with v1.Session() as s:
        s.run(apply)
        s.run(apply)
        print(s.run(count))
    with v1.Session() as s:
        print(s.run(count))
        s.run(apply)
        print(s.run(take))
for number in range(2):
    with tf.Graph().as_default():
        q = v1.FIFOQueue(4, tf.int32, shapes=[()], shared_name="shared")
        en, n, q2 = q.enqueue(number), q.size(), v1.FIFOQueue(4, tf.int32, shapes=[()], shared_name="shared")
        with v1.Session() as s:
            s.run(en)
            print(s.run(n), s.run(q2.dequeue()), s.run(n))

for kind in ["monitored", "training", "singular", "dir"]:
    with tf.Graph().as_default() as g:
        step = v1.train.get_or_create_global_step()
        x = v1.get_variable("x", [], initializer=v1.zeros_initializer())
        up, inc, d = x.assign_add(1.0), step.assign_add(1), tempfile.mkdtemp()
        print(kind, g.finalized, up.name, up)
        make = {"monitored": v1.train.MonitoredSession, "training": v1.train.MonitoredTrainingSession,
                "singular": v1.train.SingularMonitoredSession,
                "dir": lambda: v1.train.MonitoredTrainingSession(
                    checkpoint_dir=d, hooks=[v1.train.StopAtStepHook(last_step=3)], save_checkpoint_steps=1,
                    log_step_count_steps=None, save_summaries_steps=None)}[kind]
        with make() as s:
            print(g.finalized, s.graph is g)
            attempt("add", lambda: tf.constant(1.0))
            attempt("variable", lambda: v1.get_variable("y", []))
            attempt("python", lambda: x + 1)
            done = 0
            while not s.should_stop() and done < 5:
                print(s.run([up, inc]))
                done += 1
            attempt("fetch", lambda: s.run(x))
        print(g.finalized, tf.constant(1.0).shape)
        if kind == "dir":
            print(os.path.basename(tf.train.latest_checkpoint(d)), sorted(f for f in os.listdir(d) if "index" in f))
            state = v1.train.get_checkpoint_state(d)
            print(os.path.dirname(state.model_checkpoint_path) == d, os.path.isabs(open(d + "/checkpoint").read().split('"')[1]))
with tf.Graph().as_default() as g:
    a = tf.constant(1.0)
    g.finalize()
    attempt("finalized", lambda: a + 1)
    with v1.Session() as s:
        print(a.eval())
with tf.Graph().as_default():
    x = v1.placeholder(tf.float32, [None])
    with tf.name_scope("stats"):
        made = [v1.summary.scalar("mean", tf.reduce_mean(x)), v1.summary.histogram("hist", x)]
    print([one.name for one in made], v1.summary.merge_all().name)
