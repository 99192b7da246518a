import os

import lockstep as tf

strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
  model = tf.keras.Sequential([
      tf.keras.layers.Dense(128, activation='relu', input_shape=(784,)),
      tf.keras.layers.Dense(10)
  ])
  model.compile(optimizer='adam',
                loss='sparse_categorical_crossentropy',
                metrics=['accuracy'])

  (x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data(os.environ.get("MNIST", "mnist.npz"))
  x_train = x_train.reshape(60000, 784).astype('float32') / 255
  x_test = x_test.reshape(10000, 784).astype('float32') / 255

  model.fit(x_train, y_train, epochs=int(os.environ.get("EPOCHS", 10)), batch_size=32)
