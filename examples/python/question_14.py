import os

import lockstep as tf

cluster_resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=cluster_resolver)

with strategy.scope():
  model = tf.keras.Sequential([
      tf.keras.layers.Dense(128, activation='relu', input_shape=(784,)),
      tf.keras.layers.Dense(10)
  ])
  model.compile(optimizer='adam',
                loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                metrics=['accuracy'])

  (x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data(
      os.environ.get("MNIST", "mnist.npz"))
  x_train = x_train.reshape(-1, 784).astype('float32') / 255
  x_test = x_test.reshape(-1, 784).astype('float32') / 255

  model.fit(x_train, y_train, epochs=int(os.environ.get("EPOCHS", 10)), batch_size=32)
  print("weights", model.weights_digest())
