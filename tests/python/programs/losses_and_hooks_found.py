import tensorflow as tf, numpy as np
from tensorflow import keras
import functools
D=lambda n=1: keras.layers.Dense(n, kernel_initializer="ones", use_bias=False)
class Reg(keras.layers.Layer):
    def __init__(self, how):
        super().__init__(); self.how=how; self.d=D()
    def _more(self, y):
        self.add_loss(tf.reduce_mean(tf.square(y)))
    def call(self, x, training=None):
        y=self.d(x)
        if self.how=="helper": self._more(y)
        elif self.how=="training":
            if training: self._more(y)
        elif self.how=="getattr": getattr(self, "add"+"_loss")(tf.reduce_sum(y)*0.1)
        elif self.how=="function": penal(self, y)
        return y
def penal(l, y): l.add_loss(0.1*tf.reduce_mean(y))
x=np.arange(8,dtype="float32").reshape(4,2)/8; y=np.ones((4,1),"float32")
def show(h): return {k:[round(float(v),4) for v in vs] for k,vs in sorted(h.items())}
for how in ("helper","training","getattr","function","none"):
    for built in (False, True):
        m=keras.Sequential(([keras.Input((2,))] if built else [])+[Reg(how)])
        m.compile(keras.optimizers.SGD(0.1),"mse",metrics=["mae"])
        h=m.fit(x,y,batch_size=2,epochs=2,shuffle=False,verbose=0,validation_data=(x,y))
        print(how,built,show(h.history),[round(float(v),4) for v in m.evaluate(x,y,verbose=0)], [round(float(v),4) for v in m.train_on_batch(x,y)], np.round(m.get_weights()[0].ravel(),4).tolist())
# outer add_loss in Lambda / functional
holder=Reg("none")
def f(t):
    holder.add_loss(tf.reduce_mean(t)); return t
class Sub(keras.Model):
    def __init__(self): super().__init__(); self.a=D(); self.b=Reg("function")
    def call(self,x): return self.b(tf.concat([self.a(x),x],-1))
m=Sub(); m.compile(keras.optimizers.SGD(0.1),"mse"); h=m.fit(x,y,epochs=2,shuffle=False,verbose=0); print(show(h.history))
# nested compiled
inner=keras.Sequential([keras.Input((2,)),D()]); inner.compile("sgd","mse",metrics=["mae"])
outer=keras.Sequential([keras.Input((2,)),inner,D()]); outer.compile(keras.optimizers.SGD(0.1),"mae",metrics=["mse"])
print([k.name for k in outer.metrics], [k.name for k in inner.metrics])
print(show(outer.fit(x,y,epochs=2,shuffle=False,verbose=0).history), outer.metrics_names)
print([round(float(v),4) for v in outer.evaluate(x,y,verbose=0)], [round(float(v),4) for v in inner.evaluate(x,y,verbose=0)], len(outer.metrics_variables))
class O2(keras.Model):
    def __init__(self): super().__init__(); self.i=inner; self.m=keras.metrics.Mean(name="own")
    def call(self,x): r=self.i(x); self.m.update_state(r); return r
o=O2(); o.compile(keras.optimizers.SGD(0.01),"mse",metrics=["mae"]); print(show(o.fit(x,y,epochs=1,shuffle=False,verbose=0).history),[k.name for k in o.metrics])
# hooks
log=[]
class C(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        for n in dir(self):
            if n.startswith("on_"): setattr(self, n, functools.partial(self.note, n))
    def note(self, n, *a, **k): log.append((n, a[0] if a and not isinstance(a[0],dict) else None))
m=keras.Sequential([keras.Input((2,)),D()]); m.compile("sgd","mse")
m.fit(x,y,batch_size=2,verbose=0,callbacks=[C()],validation_data=(x,y)); m.evaluate(x,y,verbose=0,callbacks=[C()]); m.predict(x,verbose=0,callbacks=[C()]); print(log)
log.clear()
class B(keras.callbacks.Callback):
    def on_batch_end(self, b, logs=None): log.append(("b",b))
class B2(B): pass
m.fit(x,y,batch_size=2,verbose=0,callbacks=[B2()]); print(log); log.clear()
b=keras.callbacks.Callback(); b.on_epoch_end=lambda e,logs=None: log.append(("e",e,sorted(logs))); b.on_batch_begin=lambda n, logs=None: log.append(("bb",n))
m.fit(x,y,batch_size=2,verbose=0,callbacks=[b]); print(log); log.clear()
m.fit(x,y,batch_size=2,verbose=0,callbacks=[keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: log.append(batch), on_epoch_begin=lambda epoch,logs: log.append("eb"), on_test_begin=lambda logs: log.append("tb"), on_train_end=lambda l: log.append("te"))],validation_data=(x,y)); print(log)
