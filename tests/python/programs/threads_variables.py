import threading, queue, time
import tensorflow as tf
v = tf.Variable(0.0); lock = threading.Lock(); counter = tf.Variable(0, dtype=tf.int64)
def work(n):
    for _ in range(n): v.assign_add(1.0)
ts = [threading.Thread(target=work, args=(50,)) for _ in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]; print(v.numpy())
def locked():
    for _ in range(20):
        with lock: counter.assign(counter + 1)
ts = [threading.Thread(target=locked) for _ in range(3)]; [t.start() for t in ts]; [t.join() for t in ts]; print(counter.numpy())
@tf.function
def step(x): v.assign_sub(x); return v * 2
results = []
ts = [threading.Thread(target=lambda: results.append(float(step(tf.constant(1.0))))) for _ in range(5)]; [t.start() for t in ts]; [t.join() for t in ts]; print(sorted(results), v.numpy(), step.experimental_get_tracing_count())
q = queue.Queue()
def producer():
    for i in range(5): q.put(tf.constant(i) * 10)
    q.put(None)
t = threading.Thread(target=producer); t.start(); got = []
while (item := q.get()) is not None: got.append(int(item))
t.join(); print(got)
coord = tf.train.Coordinator()
def loop(coord, i):
    n = 0
    while not coord.should_stop():
        n += 1
        if n > 3 and i == 0: coord.request_stop()
        time.sleep(0.001)
ts = [threading.Thread(target=loop, args=(coord, i)) for i in range(3)]; [t.start() for t in ts]; coord.join(ts); print("stopped", coord.should_stop())
coord = tf.train.Coordinator()
def failing(coord):
    try: raise ValueError("in thread")
    except Exception as e: coord.request_stop(e)
t = threading.Thread(target=failing, args=(coord,)); t.start()
try: coord.join([t])
except ValueError as e: print("joined:", e)
cs = tf.CriticalSection()
def add(): return cs.execute(lambda: v.assign_add(1.0) * 1)
ts = [threading.Thread(target=add) for _ in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(v.numpy())
fifo = tf.queue.FIFOQueue(3, [tf.int32], shapes=[[]])
def fill():
    for i in range(6): fifo.enqueue(i)
    fifo.close()
t = threading.Thread(target=fill); t.start(); out = []
try:
    while True: out.append(int(fifo.dequeue()))
except tf.errors.OutOfRangeError: print("closed", out)
t.join()
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as pool: print(list(pool.map(lambda i: float(tf.reduce_sum(tf.ones((i, i)))), range(1, 5))))
local = tf.Variable([0.0] * 4)
def part(i): local[i].assign(float(i) ** 2)
ts = [threading.Thread(target=part, args=(i,)) for i in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(local.numpy())
