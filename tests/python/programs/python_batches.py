import tensorflow as tf, numpy as np, json, zipfile
K = tf.keras
def mk(): return K.Sequential([K.layers.Dense(2, name="a"), K.layers.Dropout(.1, name="b"), K.layers.Dense(1, name="c")], name="s")
m = mk(); print(m.built)
try: print(m.input_shape)
except Exception as e: print(type(e).__name__, str(e)[:80])
m.compile("sgd","mse"); m.fit(np.ones((8,3)), np.ones((8,1)), batch_size=4, verbose=0)
print(m.input_shape, m.output_shape, m.built)
m.summary()
m.save("e4.keras"); print(json.loads(zipfile.ZipFile("e4.keras").read("config.json"))["config"].get("build_input_shape"))
l = K.models.load_model("e4.keras"); print(l.input_shape, np.allclose(l.predict(np.ones((2,3)), verbose=0), m.predict(np.ones((2,3)), verbose=0)))
m = mk(); m(np.ones((5, 3), "float32")); print(m.input_shape, m.output_shape)
m = mk(); m.build((None, 3)); print(m.input_shape, m.output_shape); m.summary()
m = mk(); m.compile("sgd", "mse"); m.fit(tf.data.Dataset.from_tensor_slices((np.ones((8,3)), np.ones((8,1)))).batch(4), verbose=0); print(m.input_shape, m.output_shape)
m = mk(); m.compile("sgd", "mse"); m.predict(np.ones((5,3)), verbose=0); print(m.input_shape, m.output_shape)
m = mk(); m.compile("sgd", "mse"); m.train_on_batch(np.ones((5,3)), np.ones((5,1))); print(m.input_shape, m.output_shape)
class S(K.utils.PyDataset):
    def __len__(self): return 3
    def __getitem__(self,i): return np.ones((4,3),"float32"), np.ones((4,1),"float32")
m = mk(); m.compile("sgd", "mse"); m.fit(S(workers=3), verbose=0, epochs=2); print(m.input_shape, m.output_shape)
def gen():
    while True: yield np.ones((4,3),"float32"), np.ones((4,1),"float32")
m = mk(); m.compile("sgd", "mse"); h = m.fit(gen(), steps_per_epoch=3, epochs=2, verbose=0, validation_data=gen(), validation_steps=2); print(m.input_shape, sorted(h.history))
print(m.predict(gen(), steps=2, verbose=0).shape, m.evaluate(gen(), steps=2, verbose=0) >= 0)
m = K.Sequential([K.layers.Dense(1, kernel_initializer="ones")]); m.compile("sgd", "mse")
h = m.fit(S(), class_weight={1: 2.0}, verbose=0, epochs=1); print(h.history["loss"])
m = K.Sequential([K.layers.Dense(1, kernel_initializer="ones")]); m.compile("sgd", "mse")
h = m.fit(tf.data.Dataset.from_tensor_slices((np.ones((8,3)), np.ones((8,1)))).batch(4), class_weight={1: 2.0}, verbose=0); print(h.history["loss"])
