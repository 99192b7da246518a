import tensorflow as tf, numpy as np
from tensorflow import keras
phys=tf.config.list_physical_devices("CPU"); tf.config.set_logical_device_configuration(phys[0],[tf.config.LogicalDeviceConfiguration()]*2)
s=tf.distribute.MirroredStrategy(["CPU:0","CPU:1"])
x=np.arange(16,dtype="float32").reshape(8,2)/8; y=np.ones((8,1),"float32")
def show(h): return {k:[round(float(v),4) for v in vs] for k,vs in sorted(h.items())}
class M(keras.Model):
    def __init__(self, how):
        super().__init__(); self.how=how; self.d=keras.layers.Dense(1,kernel_initializer="ones",use_bias=False); self.t=keras.metrics.Mean(name="loss"); self.o=keras.metrics.Mean(name="other")
    def call(self,x): return self.d(x)
    @property
    def metrics(self): return [self.t,self.o]
    def train_step(self,data):
        x,y=data
        with tf.GradientTape() as t:
            p=self(x,training=True); loss=tf.reduce_mean(tf.square(p-y))
        g=t.gradient(loss,self.trainable_variables)
        self.optimizer.apply_gradients(zip(g,self.trainable_variables))
        if self.how=="raw": return {"loss":loss}
        if self.how=="raw updated": self.t.update_state(loss); self.o.update_state(loss * 2); return {"loss":loss,"other":tf.constant(3.0)}
        if self.how=="compiled default": return {"loss": loss, "x": loss*2, "mae": tf.reduce_mean(p)}
        if self.how=="nested": return {"loss": loss, "in": {"other": loss*3, "z": loss}}
        self.t.update_state(loss); return {"loss":self.t.result(),"other":loss}
    def test_step(self,data):
        x,y=data
        return {"loss": tf.reduce_mean(tf.square(self(x)-y))+1.0}
for how in ("raw","raw updated","compiled default","nested"):
    for strat in (None,s):
        import contextlib
        with (strat.scope() if strat else contextlib.nullcontext()):
            m=M(how); m.compile(keras.optimizers.SGD(0.01))
        stop=keras.callbacks.EarlyStopping(monitor="loss",patience=0)
        h=m.fit(x,y,batch_size=4,epochs=3,shuffle=False,verbose=0,callbacks=[stop],validation_data=(x,y))
        print(how,strat is not None,show(h.history), round(m.evaluate(x,y,batch_size=8,verbose=0),4))
