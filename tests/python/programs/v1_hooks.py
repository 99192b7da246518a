import logging
import os
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
train = tf.train


def told(name, what):
    try:
        print(name, what())
    except (ValueError, RuntimeError, TypeError) as error:
        print(name, type(error).__name__, str(error)[:60])


logging.getLogger("tensorflow").setLevel(logging.CRITICAL)
told("both", lambda: train.CheckpointSaverHook("d", save_steps=1, save_secs=1))
told("neither", lambda: train.CheckpointSaverHook("d"))
told("two savers", lambda: train.CheckpointSaverHook("d", save_steps=1, saver=1, scaffold=2))
told("no period", lambda: train.LoggingTensorHook(["a"]))
told("period 0", lambda: train.LoggingTensorHook(["a"], every_n_iter=0))
told("no scaffold", lambda: train.Scaffold(copy_from_scaffold=3))


class Listener(train.CheckpointSaverListener):
    def begin(self): print("listener begins")
    def before_save(self, session, step): print("before", step)
    def after_save(self, session, step): return step >= 4
    def end(self, session, step): print("listener ends", step)


class Told(train.SessionRunHook):
    def __init__(self, name): self.name = name
    def begin(self): print(self.name, "begins", tf.get_default_graph().finalized)
    def after_create_session(self, session, coord): print(self.name, type(session).__name__, type(coord).__name__)
    def before_run(self, context): return train.SessionRunArgs({"twice": twice}, options=tf.RunOptions(timeout_in_ms=60000))
    def after_run(self, context, values):
        print(self.name, sorted(values.results), values.options.timeout_in_ms, type(values.run_metadata).__name__,
              context.original_args.fetches is up)
    def end(self, session): print(self.name, "ends", session.run(step))


def graph():
    global step, a, x, up, twice
    tf.reset_default_graph()
    step = train.get_or_create_global_step()
    a = tf.get_variable("a", [], initializer=tf.constant_initializer(1.0))
    x = tf.placeholder_with_default(0.0, [], name="x")
    twice = a * 2
    tf.summary.scalar("a", a)
    up = tf.group(tf.assign_add(step, 1), tf.assign(a, a * 2 + x), name="up")


graph()
logged = []
hooks = [Told("user"), train.LoggingTensorHook({"x": "x", "same": x + 0.0}, every_n_iter=2, at_end=True,
                                                formatter=lambda values: logged.append(sorted(values)) or "")]
saver = train.CheckpointSaverHook("saved", save_steps=2, listeners=[Listener()], scaffold=(scaffold := train.Scaffold()))
with train.MonitoredTrainingSession(checkpoint_dir="ck", hooks=hooks, chief_only_hooks=[Told("chief"), saver], scaffold=scaffold,
                                    save_checkpoint_steps=3, save_summaries_steps=1) as session:
    print(session.graph is tf.get_default_graph(), type(session).__name__)
    while not session.should_stop():
        session.run(up)
    told("after the end", lambda: session.run(up))
print(logged)
for folder in ("ck", "saved"):
    names = sorted(os.listdir(folder))
    print(folder, [one for one in names if one.endswith(("index", "pbtxt"))], sum(".tfevents." in one for one in names))
found = [[value.tag for value in event.summary.value] for name in os.listdir("ck") if ".tfevents." in name
         for event in train.summary_iterator("ck/" + name)]
print(sum("a" in one for one in found))

graph()
with train.MonitoredTrainingSession(checkpoint_dir="ck", hooks=[train.FeedFnHook(lambda: {x: 1.0})]) as session:
    print(session.run(step), session.run(a))
    told("fed twice", lambda: session.run(up, {x: 2.0}))
    session.run(up)
    print(session.run([step, a]))
told("two hooks", lambda: train.MonitoredSession(hooks=[train.FeedFnHook(lambda: {x: 1.0})] * 2).run(up))

graph()
made = train.Scaffold(init_op=tf.group(a.assign(5.0), step.initializer), local_init_op=tf.no_op(name="nothing"),
                      init_fn=lambda scaffold, session: print("init_fn", session.run(a), scaffold is made))
with train.MonitoredSession(train.ChiefSessionCreator(made)) as session:
    print(session.run_step_fn(lambda step_context: step_context.run_with_hooks(a)))
print(made.local_init_op.name, made.ready_op.dtype, made.summary_op is not None, [key for key in (
    "init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op", "savers") if tf.get_collection(key)])
graph()
told("not ready", lambda: train.MonitoredSession(train.ChiefSessionCreator(train.Scaffold(init_op=step.initializer))))
graph()
bad = tf.divide(a - a, a - a, name="bad")
bad = tf.identity(bad, "bad")
with train.SingularMonitoredSession(hooks=[train.NanTensorHook("bad_1:0", fail_on_nan_loss=False)]) as session:
    session.run(up)
    print(session.should_stop(), type(session.raw_session()).__name__)
