import os
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
train = v1.train
step = train.get_or_create_global_step()
w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
up = tf.group(v1.assign_add(w, 1.0), v1.assign_add(step, 1))
v1.summary.scalar("w", w)
first = train.Supervisor(logdir="logs", save_model_secs=0, save_summaries_secs=0, global_step=step)
print(first.is_chief, first.save_path, first.save_model_secs, first.save_summaries_secs, first.summary_op is not None,
      first.summary_writer is not None, first.global_step is step, type(first.session_manager).__name__, first.ready_op is not None,
      first.ready_for_local_init_op, first.init_op.type, first.init_feed_dict, train.Supervisor.USE_DEFAULT)
print(v1.get_default_graph().finalized)
try:
    tf.constant(1)
except RuntimeError:
    print("no more ops")
with first.managed_session() as session:
    for _ in range(3):
        session.run(up)
    first.SummaryComputed(session, session.run(first.summary_op))
    first.summary_computed(session, session.run(first.summary_op), global_step=99)
    print(first.saver.save(session, first.save_path, step))
    first.RequestStop()
    print(first.ShouldStop())
names = sorted(os.listdir("logs"))
print([one for one in names if ".tfevents." not in one], sum(".tfevents." in one for one in names))
print([(event.step, event.summary.value[0].tag, event.summary.value[0].simple_value) for name in names if ".tfevents." in name
       for event in train.summary_iterator("logs/" + name) if event.HasField("summary")])

second = train.Supervisor(logdir="logs", summary_op=None, save_model_secs=0)
session = second.PrepareSession("", start_standard_services=False)
print(session.run([w, step]))
second.Stop()
session.close()

third = train.Supervisor(logdir=None, summary_op=None)
calls = []
with third.managed_session() as session:
    third.Loop(0.01, lambda: calls.append(1) or (len(calls) > 3 and third.request_stop()))
    third.WaitForStop()
    print(len(calls) >= 4)


def told(what):
    try:
        print(what())
    except Exception as error:
        print(type(error).__name__)


def leaves(error):
    with train.Supervisor(logdir=None).managed_session():
        raise error
    return "a good end"


told(lambda: leaves(KeyError("x")))
told(lambda: leaves(tf.errors.OutOfRangeError(None, None, "the end")))
told(lambda: train.Supervisor(is_chief=False, summary_op=None).start_standard_services(None))
told(lambda: train.Supervisor(logdir=None).summary_computed(None, b""))
told(lambda: train.Supervisor(init_op=None).prepare_or_wait_for_session())
told(lambda: train.Supervisor(is_chief=False, recovery_wait_secs=1).prepare_or_wait_for_session(max_wait_secs=1))
