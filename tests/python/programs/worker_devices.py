"""Where variables and values of two workers are, and whose first weights count."""
import json, os, socket, subprocess, sys
if "TF_CONFIG" not in os.environ:
    sockets = [socket.socket() for _ in range(2)]
    for s in sockets: s.bind(("127.0.0.1", 0))
    workers = [f"127.0.0.1:{s.getsockname()[1]}" for s in sockets]
    for s in sockets: s.close()
    tasks = [subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, TF_CONFIG=json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": i}}))) for i in range(2)]
    for i, t in enumerate(tasks): print(f"--- worker {i}:\n{t.communicate(timeout=100)[0]}", end="")
    sys.exit()
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    v = tf.Variable(1.0, name="v")
    m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer=lambda shape, dtype=None: tf.ones(shape) * (strategy.cluster_resolver.task_id + 1))])
print(v.device, [x.device for x in v.values], strategy.extended.worker_devices, tf.constant(1.0).device, (v + 1).device)
print(strategy.run(lambda: tf.constant(1.0)).device, strategy.reduce("SUM", strategy.run(lambda: tf.constant(1.0)), axis=None).device)
print(m.get_weights()[0].tolist())
w = tf.Variable(2.0); print(w.device)
