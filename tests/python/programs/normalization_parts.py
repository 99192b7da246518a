"""Regularizers and constraints of layers that normalise."""
import numpy as np
import tensorflow as tf

x = np.linspace(-1, 2, 48).reshape(6, 8).astype("float32") ** 2
y = x[:, :1] - 0.5
for kind, more in (("BatchNormalization", {"momentum": 0.5}), ("LayerNormalization", {}), ("GroupNormalization", {"groups": 2})):
    make = getattr(tf.keras.layers, kind)
    layer = make(beta_initializer="ones", gamma_initializer=tf.keras.initializers.Constant(1.5),
                 beta_regularizer="l2", gamma_regularizer=tf.keras.regularizers.L1(0.0625),
                 beta_constraint=tf.keras.constraints.NonNeg(), gamma_constraint=tf.keras.constraints.MaxNorm(2.0, axis=0), **more)
    model = tf.keras.Sequential([tf.keras.Input((8,)), layer, tf.keras.layers.Dense(1, kernel_initializer="ones")])
    print(kind, np.round([float(one) for one in model.losses], 5))
    model.compile(tf.keras.optimizers.SGD(0.05), "mse")
    history = model.fit(x, y, batch_size=6, epochs=3, shuffle=False, verbose=0)
    print(np.round(history.history["loss"], 3))
    for one in layer.get_weights():
        print(np.round(one, 3))
    config = layer.get_config()
    for key in ("beta_regularizer", "gamma_regularizer", "beta_constraint", "gamma_constraint", "gamma_initializer"):
        print(key, config[key]["class_name"], config[key]["config"])
    again = make.from_config(config)
    print(type(again.beta_regularizer).__name__, type(again.gamma_constraint).__name__, again.epsilon)
    plain = make(**more).get_config()
    print(plain["beta_regularizer"], plain["gamma_constraint"], plain["beta_initializer"]["class_name"])
