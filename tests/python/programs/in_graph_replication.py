import tensorflow as tf, numpy as np, socket, threading
v1=tf.compat.v1
v1.disable_eager_execution()
def port():
    s=socket.socket(); s.bind(("127.0.0.1",0)); p=s.getsockname()[1]; s.close(); return p
cluster=v1.train.ClusterSpec({"ps":["localhost:%d"%port()],"worker":["localhost:%d"%port(),"localhost:%d"%port()]})
servers=[v1.train.Server(cluster,job_name=j,task_index=i,start=True) for j,i in (("ps",0),("worker",0),("worker",1))]
# in-graph replication: one client, towers on workers, averaged gradients
with tf.device("/job:ps/task:0/cpu:0"):
    w=v1.get_variable("w",[3,1],initializer=v1.zeros_initializer()); gs=v1.train.get_or_create_global_step()
x=v1.placeholder(tf.float32,[4,3]); y=v1.placeholder(tf.float32,[4,1])
xs,ys=tf.split(x,2),tf.split(y,2); grads=[]; losses=[]
opt=v1.train.GradientDescentOptimizer(0.1)
for i in range(2):
    with tf.device("/job:worker/task:%d"%i), tf.name_scope("tower_%d"%i):
        l=tf.reduce_mean((tf.matmul(xs[i],w)-ys[i])**2); losses.append(l); grads.append(opt.compute_gradients(l,[w])[0][0])
with tf.device("/job:ps/task:0"):
    g=tf.add_n(grads)/2.; train=opt.apply_gradients([(g,w)],global_step=gs)
print(losses[0].name, losses[1].device, grads[0].device, g.device, w.device)
rng=np.random.RandomState(0); X=rng.rand(4,3).astype(np.float32); Y=X.sum(1,keepdims=True)
with v1.Session(servers[1].target, config=v1.ConfigProto(allow_soft_placement=True, device_filters=["/job:ps","/job:worker"])) as sess:
    sess.run(v1.global_variables_initializer())
    for i in range(30): sess.run(train,{x:X,y:Y})
    print(sess.run(gs), np.round(sess.run(w).ravel(),4), np.round(sess.run(losses,{x:X,y:Y}),5))
# another client of another task sees the same variables
with v1.Session(servers[2].target) as other: print(np.round(other.run(w).ravel(),4)); other.run(w.assign(np.ones((3,1))))
with v1.Session(servers[1].target) as sess: print(sess.run(w).ravel())
# threads of one client
with tf.device("/job:ps/task:0"): c=v1.get_variable("c",[],initializer=v1.zeros_initializer(),use_resource=True)
add=v1.assign_add(c,1.,use_locking=True)
with v1.Session(servers[1].target) as sess:
    sess.run(c.initializer)
    ts=[threading.Thread(target=lambda:[sess.run(add) for _ in range(20)]) for _ in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(sess.run(c))
# model parallel: layers on different workers
with tf.device("/job:worker/task:0"): a=tf.nn.relu(tf.matmul(x,tf.ones([3,5])))
with tf.device("/job:worker/task:1"): b=tf.reduce_sum(tf.matmul(a,tf.ones([5,2])),axis=1)
with v1.Session("grpc://"+servers[2].target.split("//")[1]) as sess: print(np.round(sess.run(b,{x:X}),4))
# while loop over servers
with tf.device("/job:ps/task:0"): acc=v1.get_variable("acc",[],initializer=v1.zeros_initializer())
def body(i):
    with tf.device("/job:worker/task:1"): d=tf.cast(i,tf.float32)*2.
    with tf.control_dependencies([acc.assign_add(d)]): return i+1
lp=tf.while_loop(lambda i:i<4,body,[0])
with v1.Session(servers[1].target) as sess: sess.run(acc.initializer); print(sess.run(lp), sess.run(acc))
try:
    with tf.device("/job:worker/task:5"): z=tf.constant(1.)*2.
    with v1.Session(servers[1].target) as sess: sess.run(z)
except tf.errors.InvalidArgumentError as e: print("InvalidArgumentError")
import os,sys; sys.stdout.flush(); os._exit(0)
