"""Generators that end before the epochs do."""
import tensorflow as tf, numpy as np, warnings
from tensorflow import keras
def gen(n):
    for i in range(n): yield np.ones((2,2),"float32")*(i+1)/4, np.ones((2,1),"float32")
def make(): 
    m=keras.Sequential([keras.layers.Dense(1,kernel_initializer="ones")]); m.compile(keras.optimizers.SGD(0.01),"mse",metrics=["mae"]); return m
def ds(n): return tf.data.Dataset.from_generator(lambda: gen(n), output_signature=(tf.TensorSpec((2,2)),tf.TensorSpec((2,1))))
class C(keras.callbacks.Callback):
    def __init__(self): super().__init__(); self.l=[]
    def on_epoch_begin(self,e,logs=None): self.l.append(("eb",e))
    def on_epoch_end(self,e,logs=None): self.l.append(("ee",e))
    def on_train_batch_end(self,b,logs=None): self.l.append(b)
    def on_train_end(self,logs=None): self.l.append("te")
def run(name, f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        m=make(); c=C()
        try:
            h=f(m,c); print(name, {k:[round(float(v),4) for v in vs] for k,vs in h.history.items()} if hasattr(h,"history") else h, c.l)
        except Exception as e: print(name, type(e).__name__, str(e)[:100])
        if name.startswith(("gen", "one", "eval")): print("   ", len({str(x.message) for x in w if "ran out of data" in str(x.message)}))
run("gen 3 epochs", lambda m,c: m.fit(gen(4),epochs=3,verbose=0,callbacks=[c]))
run("gen steps", lambda m,c: m.fit(gen(4),epochs=2,steps_per_epoch=3,verbose=0,callbacks=[c]))
run("gen steps big", lambda m,c: m.fit(gen(4),epochs=2,steps_per_epoch=6,verbose=0,callbacks=[c]))
run("gen val", lambda m,c: m.fit(gen(4),epochs=2,steps_per_epoch=2,validation_data=gen(3),verbose=0,callbacks=[c]))
run("gen val steps", lambda m,c: m.fit(gen(4),epochs=2,steps_per_epoch=2,validation_data=gen(4),validation_steps=2,verbose=0,callbacks=[c]))
run("empty gen", lambda m,c: m.fit(gen(0),epochs=2,verbose=0,callbacks=[c]))
run("one gen", lambda m,c: m.fit(gen(1),epochs=2,verbose=0,callbacks=[c]))
run("eval gen steps", lambda m,c: m.evaluate(gen(2),steps=4,verbose=0))
