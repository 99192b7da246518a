import tensorflow as tf
import threading, queue
counter = tf.Variable(0, dtype=tf.int64)
def work(n):
    for _ in range(n):
        counter.assign_add(1)
threads = [threading.Thread(target=work, args=(100,)) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(counter.numpy())
lock = threading.Lock(); total = tf.Variable(0.0)
def locked():
    for _ in range(50):
        with lock:
            total.assign(total + 1.0)
threads = [threading.Thread(target=locked) for _ in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]
print(total.numpy())
@tf.function
def add(x): return tf.reduce_sum(x) + 1.0
results = {}
def call(i): results[i] = float(add(tf.fill([i + 1], 2.0)))
threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(results.items()), add.experimental_get_tracing_count() >= 1)
q = queue.Queue()
def producer():
    for i in range(3): q.put(tf.constant(i) * 2)
    q.put(None)
threading.Thread(target=producer).start()
while True:
    item = q.get()
    if item is None: break
    print(item.numpy(), end=" ")
print()
coord = tf.train.Coordinator()
step = tf.Variable(0)
def loop():
    while not coord.should_stop():
        step.assign_add(1)
        if int(step) >= 5: coord.request_stop()
t = threading.Thread(target=loop); t.start(); coord.join([t]); print(int(step) >= 5)
def failing():
    try: raise RuntimeError("from a thread")
    except Exception as e: coord2.request_stop(e)
coord2 = tf.train.Coordinator(); t = threading.Thread(target=failing); t.start()
try: coord2.join([t])
except RuntimeError as e: print(e)
with tf.GradientTape() as tape:
    x = tf.Variable(2.0)
    y = x * x
grads = []
t = threading.Thread(target=lambda: grads.append(tape.gradient(y, x))); t.start(); t.join()
print(grads[0].numpy())
fifo = tf.queue.FIFOQueue(10, [tf.int32], shapes=[[]])
def enqueue():
    for i in range(5): fifo.enqueue(i)
    fifo.close()
threading.Thread(target=enqueue).start()
print([int(fifo.dequeue()) for _ in range(5)])
try: fifo.dequeue()
except tf.errors.OutOfRangeError: print("closed")
m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
outs = [None] * 3
def predict(i): outs[i] = m(tf.fill([1, 2], float(i))).numpy().item()
ts = [threading.Thread(target=predict, args=(i,)) for i in range(3)]; [t.start() for t in ts]; [t.join() for t in ts]; print(outs)
