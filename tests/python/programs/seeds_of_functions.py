import tensorflow as tf
@tf.function
def f(): return tf.random.normal([1],seed=1), tf.random.normal([1])
def p(): print([round(float(x[0]),5) for x in f()])
tf.random.set_seed(1); p(); p(); p()
print("set"); tf.random.set_seed(1); p(); p()
print("set"); tf.random.set_seed(1); p(); p()
print("set2"); tf.random.set_seed(2); p(); p()
