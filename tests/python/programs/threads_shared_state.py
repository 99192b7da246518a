import tensorflow as tf
import numpy as np
import threading
def t(name, f):
    try:
        r = f()
        print(name, r)
    except Exception as e:
        print(name, "raised", type(e).__name__)

# locks around shared state, Update patterns, tf.function + threads + python state
v = tf.Variable(0.0, name="shared"); log = []; lock = threading.RLock()
def racy(n):
    for _ in range(n): v.assign_add(1.0)
ths = [threading.Thread(target=racy, args=(50,)) for _ in range(4)]; [x.start() for x in ths]; [x.join() for x in ths]; print(v.numpy())
@tf.function
def add(x): v.assign_add(x); return v.read_value()
@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def sub(x): v.assign_sub(x); return tf.identity(v)
def both(n):
    for _ in range(n):
        with lock: a = add(tf.constant(2.)); b = sub(tf.constant(1.)); log.append(float(a - b))
ths = [threading.Thread(target=both, args=(10,)) for _ in range(3)]; [x.start() for x in ths]; [x.join() for x in ths]; print(v.numpy(), set(log), len(log), add.experimental_get_tracing_count(), sub.experimental_get_tracing_count())
class Acc(tf.Module):
    def __init__(self): super().__init__(name="acc"); self.v = tf.Variable(tf.zeros([2]), name="v"); self.n = tf.Variable(0, dtype=tf.int64, trainable=False)
    @tf.function
    def __call__(self, x): self.n.assign_add(1); return self.v.assign_add(x)
a = Acc(); ths = [threading.Thread(target=lambda i=i: [a(tf.constant([1., float(i)])) for _ in range(5)]) for i in range(3)]; [x.start() for x in ths]; [x.join() for x in ths]; print(a.v.numpy(), a.n.numpy(), [z.name for z in a.variables], [z.name for z in a.trainable_variables], a.name)
q = __import__("queue").Queue(); grads = []
def worker(i):
    w = tf.Variable([1., 2.]); 
    with tf.GradientTape() as tape: l = tf.reduce_sum(w * w * float(i + 1))
    q.put((i, tape.gradient(l, w).numpy().tolist()))
ths = [threading.Thread(target=worker, args=(i,)) for i in range(3)]; [x.start() for x in ths]; [x.join() for x in ths]; print(sorted(q.get() for _ in range(3)))
outer = tf.Variable(3.)
with tf.GradientTape() as tape:
    y = outer * outer; got = []
    x = threading.Thread(target=lambda: got.append((outer * 5.).numpy())); x.start(); x.join()
print(tape.gradient(y, outer).numpy(), got)
import concurrent.futures as cf
with cf.ThreadPoolExecutor(3) as ex: print(list(ex.map(lambda i: int(tf.reduce_sum(tf.range(i + 1))), range(5))), sorted(float(z) for z in ex.map(lambda i: add(tf.constant(0.)), range(2))))
opt = tf.keras.optimizers.SGD(0.1); w = tf.Variable([1.0]); opt.build([w])
def train():
    with lock: opt.apply_gradients([(tf.constant([1.0]), w)])
ths = [threading.Thread(target=train) for _ in range(5)]; [x.start() for x in ths]; [x.join() for x in ths]; print(np.round(w.numpy(), 4), int(opt.iterations.numpy()))
b = tf.Variable([1, 2, 3]); t("scatter_nd_update", lambda: b.scatter_nd_update([[0]], [9]).numpy()); t("scatter_update", lambda: b.scatter_update(tf.IndexedSlices(tf.constant([5]), tf.constant([1]))).numpy()); t("slice assign", lambda: b[1:].assign([7, 8]).numpy()); t("slice", lambda: b[0].assign(4).numpy()); print(b.numpy(), b[1].numpy()); t("setitem", lambda: b.__setitem__(0, 1))
