# classic placement & sessions program
import tensorflow as tf, numpy as np
v1=tf.compat.v1
v1.disable_eager_execution()
server=tf.distribute.Server.create_local_server()
c=tf.constant("Hello, distributed TensorFlow!")
sess=v1.Session(server.target)
print(sess.run(c))
with tf.device("/job:localhost/task:0"):
    W=tf.Variable(tf.random.truncated_normal([4,3],stddev=0.1,seed=1),name="W"); b=tf.Variable(tf.zeros([3]),name="b")
with tf.device("/job:localhost/task:0/device:CPU:0"):
    x=v1.placeholder(tf.float32,[None,4]); y=v1.placeholder(tf.int64,[None])
    logits=tf.matmul(x,W)+b
    loss=tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y,logits=logits))
gs=v1.train.get_or_create_global_step()
opt=v1.train.AdamOptimizer(0.05); train=opt.minimize(loss,global_step=gs)
acc=tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits,1),y),tf.float32))
v1.summary.scalar("loss",loss); merged=v1.summary.merge_all()
saver=v1.train.Saver()
init=v1.global_variables_initializer()
rng=np.random.RandomState(0); X=rng.rand(60,4).astype(np.float32); Y=X[:,:3].argmax(1)
with v1.Session(server.target) as s:
    s.run(init)
    for i in range(50):
        _,l,st,m=s.run([train,loss,gs,merged],{x:X,y:Y})
    print(st, l<1.1, s.run(acc,{x:X,y:Y})>0.5, len(m)>5)
    p=saver.save(s,"dev1ck/m",global_step=gs); print(p)
    wv=s.run(W)
with v1.Session(server.target) as s2:
    print(np.allclose(s2.run(W),wv), s2.run(gs))   # the server keeps them
    s2.run(init); print(np.allclose(s2.run(W),wv))
    saver.restore(s2,p); print(np.allclose(s2.run(W),wv))
# cond/while over servers
with tf.device("/job:localhost/task:0"):
    k=tf.Variable(0,name="k")
def body(i): 
    with tf.control_dependencies([k.assign_add(i)]): return i+1
lp=tf.while_loop(lambda i:i<5,body,[tf.constant(0)])
with v1.Session(server.target) as s:
    s.run(k.initializer); print(s.run(lp), s.run(k))
    print(s.run(tf.cond(k>3,lambda:k*2,lambda:k-1)))
ex=sess.list_devices(); print(any("CPU" in d.name for d in ex))
# feeding and lookup table, string ops at a server
t=tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a","b"],[1,2]),-1)
kk=v1.placeholder(tf.string,[None]); look=t.lookup(kk)
with v1.Session(server.target) as s:
    s.run(v1.tables_initializer()); print(s.run(look*2,{kk:["a","z","b"]}))
ds=tf.data.Dataset.range(4).batch(2); it=v1.data.make_initializable_iterator(ds); n=it.get_next()
with v1.Session(server.target) as s:
    s.run(it.initializer); print(s.run(n*2), s.run(n)+0)
    try: s.run(n)
    except tf.errors.OutOfRangeError: print("end")
import os,sys; sys.stdout.flush(); os._exit(0)
