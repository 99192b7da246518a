"""Functions of devices, and scopes that set others aside, as version 1 of TensorFlow has them."""
import tensorflow as tf

v1 = tf.compat.v1


def show(name, op):
    print(f"{name}: {op.device!r}")


with tf.Graph().as_default():
    with v1.device(v1.train.replica_device_setter(ps_tasks=2)):
        first = v1.get_variable("first", [2, 2])
        second = v1.get_variable("second", [3])
        third = v1.get_variable("third", [4])
        product = first * 2.0
        with v1.device("/cpu:0"):
            inner = second + 1.0
        with v1.device("/job:ps/task:1"):
            there = third + 1.0
            pinned = v1.get_variable("pinned", [1])
        with v1.device(None):
            free = third * 3.0
    for name, one in [("first", first), ("second", second), ("third", third), ("product", product), ("inner", inner),
                      ("there", there), ("pinned", pinned), ("free", free)]:
        show(name, one)

    def by_type(op):
        return "/job:a" if op.type == "AddV2" else "/job:b"

    with v1.device(by_type):
        x = tf.constant([1.0])
        show("constant", x)
        show("sum", x + x)
        show("product", x * x)
        with v1.device("/task:3"):
            show("inside", x + x)
    with v1.device("/job:worker"):
        with v1.device(lambda op: "/task:1"):
            show("function inside", x + 1.0)
        with v1.device("/gpu:1"):
            show("name inside", x + 1.0)

    greedy = v1.train.replica_device_setter(ps_tasks=3, ps_strategy=lambda op: 2)
    with v1.device(greedy):
        show("chosen", v1.get_variable("chosen", [5]))
    cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    with v1.device(v1.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:0/cpu:0")):
        w = v1.get_variable("w", [5])
        show("w", w)
        show("w + 1", w + 1.0)
        print(w + 1.0)
print(v1.train.replica_device_setter(ps_tasks=0))
try:
    v1.train.replica_device_setter(ps_tasks=1, ps_strategy=3)
except TypeError as error:
    print("TypeError:", error)
try:
    v1.train.replica_device_setter(cluster="here")
except TypeError as error:
    print("TypeError:", error)
