"""Random first values that a build computes, in calls on symbols, in fit and in functions."""
import tensorflow as tf, numpy as np
from tensorflow import keras
x=np.arange(8,dtype="float32").reshape(4,2)/8; y=np.ones((4,1),"float32")
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, type(e).__name__, str(e)[:200])
class A(keras.layers.Layer):
    def __init__(self, how): super().__init__(); self.how=how
    def build(self, s):
        if self.how=="tfvar": self.w=tf.Variable(tf.random.normal([s[-1],1]),trainable=True)
        elif self.how=="tfvar fn": self.w=tf.Variable(lambda: tf.random.normal([s[-1],1]))
        elif self.how=="kvar": self.w=keras.Variable(tf.random.normal([s[-1],1]))
        elif self.how=="kvar np": self.w=keras.Variable(np.random.randn(s[-1],1).astype("float32"))
        elif self.how=="kvar keras": self.w=keras.Variable(keras.random.normal([s[-1],1]))
        elif self.how=="init": self.w=self.add_weight(shape=(s[-1],1),initializer=lambda shape,dtype=None: tf.random.normal(shape,dtype=dtype))
        elif self.how=="init k": self.w=self.add_weight(shape=(s[-1],1),initializer=lambda shape,dtype=None: keras.random.normal(shape,dtype=dtype))
        elif self.how=="assign": self.w=self.add_weight(shape=(s[-1],1)); self.w.assign(tf.random.normal([s[-1],1]))
        elif self.how=="init tf": self.w=self.add_weight(shape=(s[-1],1),initializer=tf.random_normal_initializer())
        elif self.how=="compat": self.w=self.add_weight(shape=(s[-1],1),initializer=tf.constant_initializer(2.0))
    def call(self,x): return x@self.w
for how in ("tfvar","tfvar fn","kvar","kvar np","kvar keras","init","init k","assign","init tf","compat"):
    def eager():
        l=A(how); l(x); v=l.w.numpy(); return v.shape, bool((v!=0).all()), len(set(v.ravel().tolist()))
    def seq():
        l=A(how); m=keras.Sequential([l]); m.compile("sgd","mse"); m.fit(x,y,verbose=0); v=l.w.numpy(); return v.shape, bool((v!=0).all()), len(set(v.ravel().tolist()))
    def inp():
        l=A(how); m=keras.Sequential([keras.Input((2,)),l]); v=l.w.numpy(); return v.shape, bool((v!=0).all()), len(set(v.ravel().tolist())), m.predict(x,verbose=0).shape
    def fn():
        l=A(how); f=tf.function(l); f(x); v=l.w.numpy(); return v.shape, bool((v!=0).all()), len(set(v.ravel().tolist()))
    def sub():
        class M(keras.Model):
            def __init__(self): super().__init__(); self.l=A(how)
            def call(self,x): return self.l(x)
        m=M(); m.compile("sgd","mse"); m.fit(x,y,verbose=0); return m.l.w.shape, len(m.trainable_weights)
    if how == "kvar np": fn = eager
    for n,f in (("eager",eager),("seq",seq),("inp",inp),("fn",fn),("sub",sub)): t(how+" "+n, f)
