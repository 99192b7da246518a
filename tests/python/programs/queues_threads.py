import tensorflow as tf
import threading, time
q = tf.queue.FIFOQueue(3, [tf.float32], shapes=[()])
q.enqueue(1.0); q.enqueue_many([[2.0, 3.0]]); print(q.size().numpy(), q.dequeue().numpy(), q.dequeue_many(2).numpy(), q.size())
rq = tf.queue.RandomShuffleQueue(10, 2, tf.int32, shapes=[()], seed=1); rq.enqueue_many([list(range(8))]); print(sorted([int(rq.dequeue()) for _ in range(6)]) != [], rq.size().numpy())
pq = tf.queue.PriorityQueue(5, [tf.string], [()]); pq.enqueue_many([[3, 1, 2], ["c", "a", "b"]]); print([tuple(t.numpy() for t in pq.dequeue()) for _ in range(3)])
pf = tf.queue.PaddingFIFOQueue(5, [tf.int32], [[None]]); pf.enqueue([[1, 2]]); pf.enqueue([[3]]); print(pf.dequeue_many(2).numpy())
q2 = tf.queue.FIFOQueue(2, [tf.int32, tf.string], shapes=[(), ()], names=["n", "s"]); q2.enqueue({"n": 1, "s": "x"}); e = q2.dequeue(); print(sorted(e), e["n"].numpy(), e["s"].numpy())
results = []
def producer():
    for i in range(5): q.enqueue(float(i))
    q.close()
def consumer():
    while True:
        try: results.append(float(q.dequeue()))
        except tf.errors.OutOfRangeError: break
ts = [threading.Thread(target=producer), threading.Thread(target=consumer)]
[t.start() for t in ts]; [t.join() for t in ts]; print(results, q.is_closed().numpy())
try: q.enqueue(1.0)
except tf.errors.CancelledError as e: print("Cancelled")
v = tf.Variable(0); lock = threading.Lock()
def add():
    for _ in range(50):
        with lock: v.assign(v + 1)
ts = [threading.Thread(target=add) for _ in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(v.numpy())
w = tf.Variable(0.0)
@tf.function
def inc(): w.assign_add(1.0)
ts = [threading.Thread(target=lambda: [inc() for _ in range(25)]) for _ in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(w.numpy())
coord = tf.train.Coordinator()
def loop(i):
    n = 0
    while not coord.should_stop():
        n += 1
        if i == 0 and n == 3: coord.request_stop()
        time.sleep(0.001)
ts = [threading.Thread(target=loop, args=(i,)) for i in range(3)]; [t.start() for t in ts]; coord.join(ts); print(coord.should_stop(), coord.joined)
coord = tf.train.Coordinator()
def fails():
    with coord.stop_on_exception(): raise ValueError("worker failed")
t = threading.Thread(target=fails); t.start()
try: coord.join([t])
except ValueError as e: print("caught:", e)
coord.clear_stop(); print(coord.should_stop())
cs = tf.CriticalSection(name="alpha"); u = tf.Variable(0)
@tf.function
def guarded(): return cs.execute(lambda: u.assign_add(1))
local = threading.local()
out = []
def tape_in_thread(k):
    x = tf.Variable(float(k))
    with tf.GradientTape() as tape: y = x * x * k
    out.append((k, float(tape.gradient(y, x))))
ts = [threading.Thread(target=tape_in_thread, args=(k,)) for k in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(sorted(out))
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(4) as pool: print(list(pool.map(lambda k: int(tf.reduce_sum(tf.range(k))), range(6))))
g = tf.Graph()
with g.as_default():
    a = tf.compat.v1.placeholder(tf.float32); b = a * 2
    qq = tf.compat.v1.FIFOQueue(10, tf.float32, shapes=[()]); enq = qq.enqueue(tf.constant(4.)); deq = qq.dequeue()
    qr = tf.compat.v1.train.QueueRunner(qq, [enq] * 2); tf.compat.v1.train.add_queue_runner(qr)
    name_q = tf.compat.v1.train.string_input_producer(["a.txt", "b.txt"], shuffle=False, num_epochs=1); item = name_q.dequeue()
with tf.compat.v1.Session(graph=g) as sess:
    res = {}
    ts = [threading.Thread(target=lambda k=k: res.__setitem__(k, float(sess.run(b, {a: k})))) for k in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(sorted(res.items()))
    sess.run(tf.compat.v1.local_variables_initializer()) if False else None
    with g.as_default(): sess.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.local_variables_initializer()])
    co = tf.train.Coordinator(); threads = tf.compat.v1.train.start_queue_runners(sess=sess, coord=co)
    print(sess.run(deq), sess.run(deq), len(threads) >= 2)
    print(sess.run(item), sess.run(item))
    try: sess.run(item)
    except tf.errors.OutOfRangeError: print("done")
    co.request_stop(); co.join(threads, stop_grace_period_secs=5); print("joined")
