# Models as users write them: GANs, autoencoders, accumulated gradients, distillation, loops of their own, residuals, attention.
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
L = keras.layers
def sec(n): print('=====',n)
def tr(f):
    try: return f()
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0][:200])
def r4(d): 
    if isinstance(d,dict): return {k:r4(v) for k,v in d.items()}
    if isinstance(d,(list,tuple)): return [r4(v) for v in d]
    return float('%.4g'%float(d)) if np.ndim(d)==0 else np.round(np.asarray(d),4).tolist()
keras.utils.set_random_seed(1); R=np.random.RandomState(0)
x=R.standard_normal((48,6)).astype('float32'); y=R.standard_normal((48,1)).astype('float32'); yc=R.randint(0,3,48)
KK=lambda s:dict(kernel_initializer=keras.initializers.GlorotUniform(s))
def S(f):
    sec(f.__name__)
    try: f()
    except Exception as e: print('!!',type(e).__name__, str(e).split('\n')[0][:300])
@S
def gan():
    class GAN(keras.Model):
        def __init__(s,d,g): super().__init__(); s.d=d; s.g=g; s.dl=keras.metrics.Mean('d_loss'); s.gl=keras.metrics.Mean('g_loss'); s.sg=keras.random.SeedGenerator(7)
        def compile(s,do,go,lf): super().compile(); s.do=do; s.go=go; s.lf=lf
        @property
        def metrics(s): return [s.dl,s.gl]
        def train_step(s,real):
            n=tf.shape(real)[0]; z=tf.ones((n,2))*0.3
            fake=s.g(z); both=tf.concat([fake,real],0); lab=tf.concat([tf.ones((n,1)),tf.zeros((n,1))],0)
            with tf.GradientTape() as t: p=s.d(both); l=s.lf(lab,p)
            s.do.apply_gradients(zip(t.gradient(l,s.d.trainable_weights),s.d.trainable_weights))
            with tf.GradientTape() as t: p=s.d(s.g(z)); gl=s.lf(tf.zeros((n,1)),p)
            s.go.apply_gradients(zip(t.gradient(gl,s.g.trainable_weights),s.g.trainable_weights))
            s.dl.update_state(l); s.gl.update_state(gl); return {'d_loss':s.dl.result(),'g_loss':s.gl.result()}
    d=keras.Sequential([keras.Input((6,)),L.Dense(4,activation='relu',**KK(1)),L.Dense(1,**KK(2))],name='d'); g=keras.Sequential([keras.Input((2,)),L.Dense(6,**KK(3))],name='g')
    m=GAN(d,g); m.compile(keras.optimizers.Adam(.01),keras.optimizers.Adam(.02),keras.losses.BinaryCrossentropy(from_logits=True)); print(r4(m.fit(tf.data.Dataset.from_tensor_slices(x).batch(20),epochs=2,verbose=0).history)); print(r4(m.fit(x,epochs=1,verbose=0,batch_size=16,shuffle=False).history))
@S
def vae():
    class Samp(L.Layer):
        def call(s,i): m,v=i; return m+tf.exp(.5*v)*.1
    class VAE(keras.Model):
        def __init__(s,**k):
            super().__init__(**k); i=keras.Input((6,)); h=L.Dense(4,activation='relu',**KK(1))(i); m=L.Dense(2,name='zm',**KK(2))(h); v=L.Dense(2,name='zv',**KK(3))(h); s.enc=keras.Model(i,[m,v,Samp()([m,v])],name='enc'); s.dec=keras.Sequential([keras.Input((2,)),L.Dense(6,**KK(4))]); s.tot=keras.metrics.Mean(name='total'); s.kl=keras.metrics.Mean(name='kl')
        metrics=property(lambda s:[s.tot,s.kl])
        def train_step(s,data):
            if isinstance(data,tuple): data=data[0]
            with tf.GradientTape() as t:
                m,v,z=s.enc(data); r=s.dec(z); rl=tf.reduce_mean(tf.reduce_sum((data-r)**2,-1)); kl=tf.reduce_mean(tf.reduce_sum(-.5*(1+v-m**2-tf.exp(v)),1)); l=rl+kl
            s.optimizer.apply_gradients(zip(t.gradient(l,s.trainable_weights),s.trainable_weights)); s.tot.update_state(l); s.kl.update_state(kl); return {q.name:q.result() for q in s.metrics}
    m=VAE(); m.compile(keras.optimizers.Adam(.01)); print(r4(m.fit(x,epochs=2,batch_size=20,shuffle=False,verbose=0).history)); print([v.path for v in m.trainable_weights][:3], len(m.weights)); m.enc.summary()
@S
def accum():
    class Acc(keras.Model):
        def __init__(s,inner,n): super().__init__(); s.inner=inner; s.n=n; s.step=tf.Variable(0,trainable=False,dtype=tf.int32); s.acc=None
        def build(s,sh): s.inner.build(sh); s.acc=[tf.Variable(tf.zeros_like(v),trainable=False) for v in s.inner.trainable_variables]; super().build(sh)
        def call(s,x,training=None): return s.inner(x,training=training)
        def train_step(s,d):
            x,y=d; s.step.assign_add(1)
            with tf.GradientTape() as t: p=s(x,training=True); l=s.compute_loss(x,y,p)
            g=t.gradient(l,s.inner.trainable_variables)
            for a,b in zip(s.acc,g): a.assign_add(b)
            tf.cond(tf.equal(s.step%s.n,0),s._apply,lambda:None)
            return {**s.compute_metrics(x,y,p,None),'raw':l}
        def _apply(s):
            s.optimizer.apply_gradients(zip(s.acc,s.inner.trainable_variables))
            for a in s.acc: a.assign(tf.zeros_like(a))
    m=Acc(keras.Sequential([L.Dense(1,**KK(1))]),2); m.build((None,6)); m.compile(keras.optimizers.SGD(.1),'mse',metrics=['mae']); print(r4(m.fit(x,y,batch_size=10,epochs=2,shuffle=False,verbose=0).history)); print(int(m.step))
@S
def distill():
    class D(keras.Model):
        def __init__(s,st,te): super().__init__(); s.st=st; s.te=te
        def compile(s,optimizer,metrics,sl,dl,alpha=.1,temperature=3): super().compile(optimizer=optimizer,metrics=metrics); s.sl=sl; s.dl=dl; s.alpha=alpha; s.T=temperature
        def compute_loss(s,x=None,y=None,y_pred=None,sample_weight=None,allow_empty=False,training=True):
            tp=s.te(x,training=False); a=s.sl(y,y_pred); b=s.dl(tf.nn.softmax(tp/s.T,1),tf.nn.softmax(y_pred/s.T,1))*s.T**2; return s.alpha*a+(1-s.alpha)*b
        def call(s,x,training=None): return s.st(x)
    m=D(keras.Sequential([keras.Input((6,)),L.Dense(3,**KK(1))]),keras.Sequential([keras.Input((6,)),L.Dense(3,**KK(2))])); m.te.trainable=False
    m.compile(keras.optimizers.Adam(.01),['sparse_categorical_accuracy'],keras.losses.SparseCategoricalCrossentropy(from_logits=True),keras.losses.KLDivergence()); print(r4(m.fit(x,yc,epochs=2,verbose=0,shuffle=False).history), r4(m.evaluate(x,yc,verbose=0,return_dict=True)))
@S
def custom_loop():
    m=keras.Sequential([keras.Input((6,)),L.Dense(4,activation='relu',**KK(1)),L.Dropout(0.),L.Dense(3,**KK(2))]); o=keras.optimizers.Adam(.01); lf=keras.losses.SparseCategoricalCrossentropy(from_logits=True); acc=keras.metrics.SparseCategoricalAccuracy(); ml=keras.metrics.Mean()
    @tf.function
    def step(a,b):
        with tf.GradientTape() as t: p=m(a,training=True); l=lf(b,p)+sum(m.losses)
        g=t.gradient(l,m.trainable_variables); g,n=tf.clip_by_global_norm(g,1.); o.apply_gradients(zip(g,m.trainable_variables)); acc.update_state(b,p); ml.update_state(l); return n
    for e in range(2):
        for a,b in tf.data.Dataset.from_tensor_slices((x,yc)).batch(20): n=step(a,b)
        print(e,r4(ml.result()),r4(acc.result()),r4(n),o.iterations.numpy()); acc.reset_state(); ml.reset_state()
    print([v.path for v in o.variables][:4], r4(o.learning_rate)); d=tempfile.mkdtemp(); ck=tf.train.Checkpoint(model=m,opt=o); p=ck.save(d+'/c'); w=m.get_weights(); m.set_weights([q*0 for q in w]); ck.restore(p); print(np.allclose(w[0],m.get_weights()[0]))
@S
def opts():
    for o in [keras.optimizers.SGD(.1,momentum=.9,clipnorm=.5),keras.optimizers.RMSprop(.01,rho=.8,momentum=.1,centered=True),keras.optimizers.Adam(.01,amsgrad=True,weight_decay=.01),keras.optimizers.AdamW(.01,clipvalue=.1),keras.optimizers.Adagrad(.1),keras.optimizers.Adadelta(1.),keras.optimizers.Adamax(.01),keras.optimizers.Nadam(.01),keras.optimizers.Ftrl(.1,l1_regularization_strength=.01),keras.optimizers.Lion(.001),keras.optimizers.SGD(.1,use_ema=True,ema_momentum=.5),keras.optimizers.Adam(.01,gradient_accumulation_steps=2),keras.optimizers.Lamb(.01)]:
        m=keras.Sequential([keras.Input((6,)),L.Dense(3,activation='tanh',**KK(1)),L.Dense(1,**KK(2))]); m.compile(o,'mse'); h=m.fit(x,y,epochs=3,batch_size=16,verbose=0,shuffle=False); print(o.name,r4(h.history['loss']),int(o.iterations),len(o.variables), [v.name for v in o.variables][2:4])
@S
def loops_evaluate():
    m=keras.Sequential([keras.Input((6,)),L.Dense(3,activation='softmax',**KK(1))]); m.compile('sgd',keras.losses.CategoricalCrossentropy(label_smoothing=.1),metrics=[keras.metrics.CategoricalAccuracy(),keras.metrics.TopKCategoricalAccuracy(2)]); Y=keras.utils.to_categorical(yc,3)
    print(r4(m.evaluate(x,Y,batch_size=7,verbose=0)),r4(m.evaluate(x,Y,steps=2,batch_size=7,verbose=0)),r4(m.test_on_batch(x,Y)),r4(m.train_on_batch(x,Y,return_dict=True)),m.metrics_names); h=m.fit(x,Y,epochs=2,steps_per_epoch=2,batch_size=8,verbose=0,shuffle=False,validation_data=(x,Y),validation_steps=1,validation_freq=2,validation_batch_size=5); print(r4(h.history))
    h=m.fit(tf.data.Dataset.from_tensor_slices((x,Y)).batch(8).repeat(),epochs=2,steps_per_epoch=3,verbose=0,class_weight={0:1.,1:2.,2:3.}); print(r4(h.history)); h=m.fit(x,Y,verbose=0,sample_weight=np.arange(48)/48.,validation_split=.25,shuffle=False); print(r4(h.history))
@S
def cnn():
    xi=R.standard_normal((20,8,8,3)).astype('float32'); i=keras.Input((8,8,3)); h=L.Conv2D(4,3,padding='same',activation='relu',**KK(1))(i); s=h; h=L.BatchNormalization()(h); h=L.Conv2D(4,3,padding='same',**KK(2))(h); h=L.Add()([h,s]); h=L.MaxPooling2D()(h); h=L.SeparableConv2D(5,3,depthwise_initializer=keras.initializers.GlorotUniform(3),pointwise_initializer=keras.initializers.GlorotUniform(4))(h); h=L.GlobalAveragePooling2D()(h); o=L.Dense(3,activation='softmax',**KK(5))(h); m=keras.Model(i,o,name='cnn'); m.summary(); m.compile('adam','sparse_categorical_crossentropy',metrics=['accuracy']); print(r4(m.fit(xi,yc[:20],epochs=3,batch_size=8,shuffle=False,verbose=0).history)); f=keras.Model(m.input,[l.output for l in m.layers if 'conv' in l.name]); print([q.shape for q in f.predict(xi[:1],verbose=0)]); print(r4(m.predict(xi[:2],verbose=0)))
@S
def attention():
    class Tb(L.Layer):
        def __init__(s,d,h,**k): super().__init__(**k); s.a=L.MultiHeadAttention(h,d//h,kernel_initializer=keras.initializers.GlorotUniform(1)); s.f=keras.Sequential([L.Dense(8,activation='gelu',**KK(2)),L.Dense(d,**KK(3))]); s.n1=L.LayerNormalization(epsilon=1e-6); s.n2=L.LayerNormalization(epsilon=1e-6); s.dr=L.Dropout(0.)
        def call(s,x,training=False): h=s.n1(x+s.dr(s.a(x,x,use_causal_mask=True),training=training)); return s.n2(h+s.f(h))
    class Pe(L.Layer):
        def __init__(s,n,v,d,**k): super().__init__(**k); s.t=L.Embedding(v,d,embeddings_initializer=keras.initializers.RandomUniform(seed=4)); s.p=L.Embedding(n,d,embeddings_initializer=keras.initializers.RandomUniform(seed=5))
        def call(s,x): return s.t(x)+s.p(tf.range(tf.shape(x)[-1]))
    i=keras.Input((5,),dtype='int32'); m=keras.Model(i,L.Dense(10,**KK(6))(Tb(4,2,name='tb')(Pe(5,10,4,name='pe')(i)))); ids=R.randint(0,10,(12,5)); m.compile('adam',keras.losses.SparseCategoricalCrossentropy(from_logits=True),metrics=['accuracy']); print(r4(m.fit(ids,np.roll(ids,-1,1),epochs=2,batch_size=5,shuffle=False,verbose=0).history)); m.summary(); print(len(m.weights),[w.path for w in m.weights][:4])
@S
def cells():
    class Cell(L.Layer):
        def __init__(s,u,**k): super().__init__(**k); s.units=u; s.state_size=u; s.output_size=u
        def build(s,sh): s.k=s.add_weight(shape=(sh[-1],s.units),initializer='ones'); s.r=s.add_weight(shape=(s.units,s.units),initializer='ones')
        def call(s,x,states): h=tf.tanh(x@s.k+states[0]@s.r*.1); return h,[h]
    xs=np.full((2,3,2),.1,'float32'); o=L.RNN([Cell(2),Cell(3)],return_sequences=True,return_state=True)(xs); print([v.shape for v in o],r4(o[0][0]))
    o=L.RNN([L.GRUCell(2),L.LSTMCell(3)],return_state=True)(xs); print([tf.nest.map_structure(lambda v:tuple(v.shape),v) for v in o])
@S
def losses_as_metrics():
    class Own(keras.losses.Loss):
        def __init__(s,a=2.,name='own',**k): super().__init__(name=name,**k); s.a=a
        def call(s,t,p): return s.a*tf.square(t-p)
    m=keras.Sequential([keras.Input((6,)),L.Dense(2,**KK(1))]); m.compile(keras.optimizers.RMSprop(.01),Own(),metrics=[Own(name='zmetric')],weighted_metrics=[Own(3.)]); print(r4(m.fit(x,np.ones((48,2)),epochs=1,verbose=0,validation_split=.2,shuffle=False).history))
    @keras.utils.register_keras_serializable('p')
    def act(x): return tf.nn.relu(x)*2
    m=keras.Sequential([keras.Input((6,)),L.Dense(2,activation=act,**KK(1)),L.Activation('gelu')]); print([l.get_config()['activation'] for l in m.layers]); n=keras.models.model_from_json(m.to_json()); n.set_weights(m.get_weights()); print(np.allclose(n(x),m(x)))
    m=keras.Sequential([keras.Input((6,)),L.Dense(1,activation='sigmoid',**KK(1))]); m.compile('sgd','binary_crossentropy',metrics=[keras.metrics.F1Score(threshold=.5),'accuracy']); h=m.fit(x,(y>0).astype('float32'),epochs=1,verbose=0,shuffle=False); print({k:[np.round(q,4).tolist() for q in v] for k,v in h.history.items()})
