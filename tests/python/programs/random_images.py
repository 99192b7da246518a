import tensorflow as tf, numpy as np
x = np.random.RandomState(0).rand(3, 6, 5, 2).astype('float32') * 200
L = tf.keras.layers
for l in [L.RandomFlip(seed=1), L.RandomContrast(0.5, seed=1), L.RandomContrast((0.1, 0.3), seed=1), L.RandomBrightness(0.2, seed=1), L.RandomBrightness((-0.5, 0.1), value_range=(0, 200), seed=2),
          L.RandomTranslation(0.3, 0.2, seed=1), L.RandomTranslation((0.1, 0.6), 0.9, fill_mode='constant', fill_value=7., seed=1), L.RandomTranslation(0.9, 0.9, fill_mode='wrap', seed=3), L.RandomTranslation(0.5, 0.5, fill_mode='nearest', interpolation='nearest', seed=3),
          L.RandomRotation(0.1, seed=1), L.RandomRotation((0.2, 0.4), fill_mode='constant', seed=1), L.RandomZoom(0.3, seed=1), L.RandomZoom((-0.5, -0.2), 0.3, seed=1, fill_mode='nearest'), L.RandomCrop(4, 3, seed=1)]:
    for k in range(2):
        o = l(x, training=True)
        print(type(l).__name__, o.shape, np.round(np.asarray(o)[:, 1, 2, 0].astype('float64'), 2).tolist(), round(float(np.asarray(o, 'float64').mean()), 2))
    o = l(x[0], training=True); print(o.shape, round(float(np.asarray(o, 'float64').mean()), 2), l(x, training=False).shape)
for f in [lambda: L.RandomRotation(3.), lambda: L.RandomTranslation(0.1, 0.1, fill_mode='x'), lambda: L.RandomZoom(2.)]:
    try: f()
    except Exception as e: print(type(e).__name__)
m = tf.keras.Sequential([tf.keras.Input([6, 5, 2]), L.RandomFlip('horizontal', seed=1), L.RandomRotation(0.1, seed=2), L.RandomZoom(0.1, seed=3), L.Flatten(), L.Dense(1)])
print(m.output_shape, m.predict(x, verbose=0).shape); m.compile('sgd', 'mse'); print(len(m.fit(x / 200, np.zeros([3, 1]), verbose=0).history['loss']))
