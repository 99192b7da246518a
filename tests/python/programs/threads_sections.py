import tensorflow as tf
import threading, time, concurrent.futures
shared = tf.Variable(0.0)
lock = tf.CriticalSection(name="cs")
def body():
    v = shared.read_value(); return shared.assign(v + 1.0)
def worker():
    for _ in range(20): lock.execute(body)
ts = [threading.Thread(target=worker) for _ in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]
print(shared.numpy())
v = tf.Variable(tf.zeros([4])); 
def add(i): v.scatter_nd_add([[i]], [float(i)])
with concurrent.futures.ThreadPoolExecutor(4) as ex: list(ex.map(add, range(4)))
print(v.numpy())
@tf.function
def step(x): return shared.assign_add(x)
with concurrent.futures.ThreadPoolExecutor(3) as ex: fs = [ex.submit(step, tf.constant(1.0)) for _ in range(10)]
print(max(float(f.result()) for f in fs), shared.numpy())
class T(threading.Thread):
    def __init__(self, s): super().__init__(); self.s = s; self.out = None
    def run(self):
        with self.s.scope(): self.v = tf.Variable(1.0)
        self.out = self.s.run(lambda: self.v + 1.0)
s = tf.distribute.MirroredStrategy(["CPU:0"]); t = T(s); t.start(); t.join(); print(t.out.numpy(), tf.distribute.has_strategy())
g = tf.Graph()
with g.as_default(): c = tf.constant(1); print(tf.executing_eagerly())
def other(): print("thread eager:", tf.executing_eagerly(), tf.compat.v1.get_default_graph() is g)
with g.as_default(): t = threading.Thread(target=other); t.start(); t.join()
coord = tf.train.Coordinator(); n = tf.Variable(0)
def loop(c, k):
    while not c.should_stop():
        n.assign_add(1)
        if n.numpy() > k: c.request_stop()
ts = [threading.Thread(target=loop, args=(coord, 10)) for _ in range(2)]; [t.start() for t in ts]; coord.join(ts); print(coord.should_stop(), n.numpy() >= 10)
c2 = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.OutOfRangeError,))
with c2.stop_on_exception(): raise tf.errors.OutOfRangeError(None, None, "done")
print(c2.should_stop()); c2.join()
c3 = tf.train.Coordinator()
try:
    with c3.stop_on_exception(): raise ValueError("inside")
    c3.join()
except ValueError as e: print("ValueError", e)
barrier = threading.Barrier(2); out = [0, 0]
def mm(i): barrier.wait(); out[i] = float(tf.reduce_sum(tf.matmul(tf.ones([64, 64]), tf.ones([64, 64]))))
ts = [threading.Thread(target=mm, args=(i,)) for i in range(2)]; [t.start() for t in ts]; [t.join() for t in ts]; print(out)
q = tf.queue.FIFOQueue(2, tf.float32, shapes=[()]); done = []
def prod():
    for i in range(5): q.enqueue(float(i))
    q.close()
def cons():
    while True:
        try: done.append(float(q.dequeue()))
        except tf.errors.OutOfRangeError: break
a, b = threading.Thread(target=prod), threading.Thread(target=cons); a.start(); b.start(); a.join(); b.join(); print(done, q.is_closed().numpy(), q.size().numpy())
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
def infer(i): return model.predict(tf.fill([1, 3], float(i)), verbose=0).tolist()
with concurrent.futures.ThreadPoolExecutor(2) as ex: print(list(ex.map(infer, range(3))))
local = threading.local(); ev = threading.Event()
def waits(): ev.wait(); local.x = tf.constant(3) * 2; done.append(int(local.x))
t = threading.Thread(target=waits, daemon=True); t.start(); ev.set(); t.join(); print(done[-1])
ds = tf.data.Dataset.range(6); it = iter(ds); got = []; lk = threading.Lock()
def pull():
    while True:
        try: e = next(it)
        except StopIteration: return
        with lk: got.append(int(e))
ts = [threading.Thread(target=pull) for _ in range(3)]; [t.start() for t in ts]; [t.join() for t in ts]; print(sorted(got))
