"""Ranks, batches, tuples and arguments that fit, evaluate and predict take."""
import tensorflow as tf, numpy as np, copy, pickle, collections
from tensorflow import keras
def show(h): return {k:[round(float(v),4) for v in vs] for k,vs in sorted(h.items())}
D=lambda n=1,**k: keras.layers.Dense(n, kernel_initializer="ones", **k)
x=np.arange(12,dtype="float32").reshape(6,2)/12; y=np.ones((6,1),"float32")
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, type(e).__name__)
# ranks
m=keras.Sequential([keras.Input((1,)),D()]); m.compile(keras.optimizers.SGD(0.1),"mse",metrics=["mae"])
v=np.arange(4.)
t("1d", lambda: (show(m.fit(v,2*v,batch_size=2,shuffle=False,verbose=0).history), m.predict(v,verbose=0).shape, [round(float(q),4) for q in m.evaluate(v,2*v,verbose=0)], m(v).shape, m(v[:,None,None]).shape, m.predict_on_batch(v).shape, [round(float(q),4) for q in m.train_on_batch(v,2*v)]))
i=keras.Input((3,)); f=keras.Model(i,D()(i))
t("func squeeze", lambda: f(np.ones((2,3,1))).shape)
t("func squeeze predict", lambda: f.predict(np.ones((2,3,1)),verbose=0).shape)
t("func bad rank", lambda: f(np.ones((2,3,2))).shape)
t("func bad", lambda: f(np.ones((2,4))).shape)
i2=keras.Input((2,1)); f2=keras.Model(i2, keras.layers.Flatten()(i2))
t("expand", lambda: (f2(np.ones((5,2))).shape, f2.predict(np.ones((5,2)),verbose=0).shape))
g=keras.Input((2,),batch_size=4); bm=keras.Model(g,D()(g)); bm.compile("sgd","mse")
t("batches", lambda: (bm(np.ones((3,2))).shape, bm.fit(x,y,batch_size=4,verbose=0).epoch, bm.predict(x,batch_size=4,verbose=0).shape, bm.input_shape))
# tuple input
class S(keras.Model):
    def call(self,inputs):
        a,b=inputs; return a+b
for form in (tuple, list):
    s=S(); t("two "+form.__name__, lambda: (s.predict(form([x,x]),verbose=0).shape, s.predict(form([x,x]),batch_size=4,verbose=0).sum().round(3), s.predict_on_batch(form([x,x])).shape))
class T(keras.Model):
    def __init__(self): super().__init__(); self.d=D()
    def call(self,inputs):
        a,b=inputs; return self.d(a)+self.d(b)
for form in (tuple, list):
    s=T(); s.compile(keras.optimizers.SGD(0.01),"mse"); t("fit "+form.__name__, lambda: (show(s.fit(form([x,x]),y,batch_size=3,shuffle=False,epochs=2,verbose=0).history), round(s.evaluate(form([x,x]),y,verbose=0),4), round(float(s.train_on_batch(form([x,x]),y)),4)))
s=S(); t("one tuple", lambda: s.predict((x,),verbose=0).shape)
class Dd(keras.Model):
    def call(self,d): return d["a"]*2+d["b"]
t("dict", lambda: Dd().predict({"a":x,"b":x},verbose=0).shape)
P=collections.namedtuple("P","a b")
class N(keras.Model):
    def call(self,p): return p[0]+p[1]
t("nested", lambda: N().predict((x,x),verbose=0).shape)
# compute_loss variants
class L(keras.Model):
    def __init__(self): super().__init__(); self.d=D()
    def call(self,x): return self.d(x)
    def compute_loss(self,x=None,y=None,y_pred=None,sample_weight=None): return tf.reduce_mean(tf.abs(y-y_pred))
for c in (L,):
    l=c(); l.compile(keras.optimizers.SGD(0.1)); t(c.__name__, lambda: (show(l.fit(x,y,shuffle=False,verbose=0,validation_data=(x,y)).history), round(float(l.evaluate(x,y,verbose=0)),4)))
# loss objects
class Tot(keras.losses.Loss):
    def __call__(self,y_true,y_pred,sample_weight=None): return tf.reduce_sum(y_pred)
q=keras.Sequential([keras.Input((2,)),D()]); q.compile(keras.optimizers.SGD(0.01),Tot(),metrics=["mae"]); t("own call", lambda: (show(q.fit(x,y,shuffle=False,batch_size=3,verbose=0).history)))
# clone
class Net(keras.Model):
    def __init__(self,units,**k): super().__init__(**k); self.units=units; self.h=D(units)
    def call(self,x): return self.h(x)
    def get_config(self): return {"units":self.units}
t("clone", lambda: keras.models.clone_model(Net(3)).units)
t("clone f", lambda: keras.models.clone_model(Net(3),clone_function=lambda l:l))
class Net2(keras.Model):
    def __init__(self,units=4): super().__init__(); self.units=units
# arguments
m2=keras.Sequential([keras.Input((2,)),D()]); m2.compile("sgd","mse")
t("bogus", lambda: m2.fit(x,y,bogus=1))
t("bogus ev", lambda: m2.evaluate(x,y,bogus=1))
t("bogus pr", lambda: m2.predict(x,bogus=1))
t("vf", lambda: len(m2.fit(x,y,epochs=4,validation_data=(x,y),validation_freq=[1,4],verbose=0).history["val_loss"]))
t("vf2", lambda: len(m2.fit(x,y,epochs=4,validation_data=(x,y),validation_freq=3,verbose=0).history["val_loss"]))
t("vf3", lambda: len(m2.fit(x,y,epochs=2,validation_data=(x,y),validation_freq="a",verbose=0).history["val_loss"]))
t("vf4", lambda: len(m2.fit(x,y,epochs=2,validation_data=(x,y),validation_freq=(2,),verbose=0).history["val_loss"]))
class Stop(keras.callbacks.Callback):
    def __init__(self): super().__init__(); self.n=[]
    def on_test_batch_end(self,b,logs=None): self.n.append(b); self.model.stop_evaluating = b>=1
    def on_predict_batch_end(self,b,logs=None): self.n.append(b); self.model.stop_predicting = b>=1
c=Stop(); t("stop ev", lambda: (m2.evaluate(x,y,batch_size=1,verbose=0,callbacks=[c])>=0, c.n))
c=Stop(); t("stop pr", lambda: (m2.predict(x,batch_size=1,verbose=0,callbacks=[c]).shape, c.n))
c=Stop(); t("stop fit", lambda: (len(m2.fit(x,y,batch_size=3,epochs=2,verbose=0,validation_data=(x,y),validation_batch_size=1,callbacks=[c]).history["val_loss"]), c.n))
t("class weight", lambda: m2.fit(x,{"a":y},class_weight={0:1.},verbose=0))
a=keras.layers.Dense(2,activity_regularizer="l2"); a(np.zeros((0,3),"float32")); t("empty reg", lambda: [float(v) for v in a.losses])
r=keras.layers.ActivityRegularization(l1=1.0); r(np.ones((0,3),"float32")); t("empty reg2", lambda: [float(v) for v in r.losses])
