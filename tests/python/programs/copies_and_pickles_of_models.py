"""Copies and pickles of models are new models with the same values."""
import tensorflow as tf, numpy as np, copy, pickle
from tensorflow import keras
x=np.arange(12,dtype="float32").reshape(6,2)/12; y=np.ones((6,1),"float32")
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, type(e).__name__, str(e)[:300])
@keras.utils.register_keras_serializable()
class Net(keras.Model):
    def __init__(self,units=2,**k):
        super().__init__(**k); self.units=units; self.blocks=[]
        for _ in range(2): self.blocks.append(keras.layers.Dense(units))
    def call(self,x):
        for b in self.blocks: x=b(x)
        return x
    def get_config(self): return {"units":self.units}
@keras.utils.register_keras_serializable()
class Scale(keras.layers.Layer):
    def build(self,s): self.w=self.add_weight(shape=(s[-1],),initializer="ones",name="w")
    def call(self,x): return x*self.w
@keras.utils.register_keras_serializable()
def own_loss(a,b): return tf.reduce_mean(tf.abs(a-b))
i=keras.Input((2,))
models={"seq":keras.Sequential([keras.Input((2,)),keras.layers.Dense(3,activation="relu"),keras.layers.BatchNormalization(),keras.layers.Dense(1)]),
"func":keras.Model(i,keras.layers.Dense(1)(keras.layers.Dense(2)(i))),"own":Net(),"custom":keras.Sequential([keras.Input((2,)),Scale(),keras.layers.Dense(1)]),"unbuilt":keras.Sequential([keras.layers.Dense(1)])}
for name,m in models.items():
    if name!="unbuilt":
        m.compile(keras.optimizers.Adam(0.01), own_loss if name=="func" else "mse", metrics=["mae"]); m.fit(x,y if name!="own" else np.ones((6,2)),epochs=2,verbose=0)
    for how,f in (("pickle",lambda q: pickle.loads(pickle.dumps(q))),("deepcopy",copy.deepcopy),("copy",copy.copy)):
        def go():
            c=f(m)
            same = name=="unbuilt" or np.array_equal(c.predict(x,verbose=0),m.predict(x,verbose=0))
            r=[type(c).__name__, same, c is m, c.compiled, len(c.weights), c.built, len(c.optimizer.variables) if c.compiled else None]
            if name!="unbuilt":
                w=m.get_weights(); c.fit(x,y if name!="own" else np.ones((6,2)),verbose=0)
                r+= [all(np.array_equal(a,b) for a,b in zip(w,m.get_weights())), int(c.optimizer.iterations), int(m.optimizer.iterations)]
            return r
        t(name+" "+how, go)
l=Scale(); l(x); l.w.assign([3.,4.])
for f in (lambda q: pickle.loads(pickle.dumps(q)), copy.deepcopy): t("layer", lambda: (lambda c:(c.w.numpy().tolist(), c.name==l.name))(f(l)))
d=keras.layers.Dense(2); t("unbuilt layer", lambda: (copy.deepcopy(d).built, copy.deepcopy(d).units))
