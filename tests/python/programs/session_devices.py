import socket
import time
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()


def failure(call, *parts):
    """The kind of the error, the op that it names, and which of the parts are in its text."""
    try:
        return call()
    except tf.errors.OpError as e:
        return type(e).__name__, e.op and e.op.name, e.node_def and e.node_def.name, [part in str(e) for part in parts]


# A device that is not there is an error, unless softly placed; device_count makes more of them.
for config in (None, v1.ConfigProto(), v1.ConfigProto(allow_soft_placement=True), v1.ConfigProto(device_count={"CPU": 3})):
    for device in ("GPU:0", "CPU:2"):
        with tf.Graph().as_default(), tf.device(f"/device:{device}"):
            tensor = tf.constant(1.) + 2.
            with v1.Session(config=config) as sess:
                kept = failure(lambda: sess.run(tensor), device)
                print(len([d for d in sess.list_devices() if d.device_type == "CPU"]),
                      kept if not isinstance(kept, tuple) else (kept[0], kept[3]))

# Errors of a run name the op and its node.
x = v1.placeholder(tf.float32, [2], name="x")
taken = tf.gather(x, [9], name="taken")
with tf.name_scope("inner"):
    deep = tf.gather(x, [1, 0], name="deep") + tf.gather(x, [4], name="deep")
with v1.Session() as sess:
    for tensor in (taken, deep):
        print(failure(lambda: sess.run(tensor, {x: [0, 1]})))
    print(sess.run(v1.check_numerics(x, "odd", name="checked"), {x: [0, 1]}), v1.check_numerics(x, "odd", name="named").name)

# Nobody at the target, within the session's timeout.
def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


begin = time.time()
print(failure(lambda: v1.Session(f"grpc://127.0.0.1:{free_port()}",
                                 config=v1.ConfigProto(operation_timeout_in_ms=500)).run(taken, {x: [0, 1]}))[0])
print(time.time() - begin < 30)
