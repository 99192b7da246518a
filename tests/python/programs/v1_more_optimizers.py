import tensorflow as tf, numpy as np
v1=tf.compat.v1
v1.disable_eager_execution()
def run(make,name):
    with tf.Graph().as_default():
        w=v1.get_variable("w",initializer=tf.constant([1.,-2.,0.5])); gs=v1.train.get_or_create_global_step()
        loss=tf.reduce_sum(tf.square(w)*[1.,2.,3.]+w)
        opt=make(gs); t=opt.minimize(loss,global_step=gs)
        with v1.Session() as s:
            s.run(v1.global_variables_initializer())
            for _ in range(5): s.run(t)
            print(name, np.round(s.run(w),3), opt.get_slot_names(), opt.get_name(), [v.name for v in opt.variables()])
            for n in opt.get_slot_names(): print(n, np.round(s.run(opt.get_slot(w,n)),3))
T=v1.train
run(lambda g:T.AdadeltaOptimizer(1.0),"adadelta"); run(lambda g:T.FtrlOptimizer(0.1,l1_regularization_strength=.1,l2_regularization_strength=.05,l2_shrinkage_regularization_strength=.02),"ftrl")
run(lambda g:T.FtrlOptimizer(0.1),"ftrl0"); run(lambda g:T.ProximalGradientDescentOptimizer(.05,.1,.2),"pgd"); run(lambda g:T.ProximalAdagradOptimizer(.1,.1,.05,.1),"pag")
run(lambda g:T.AdagradDAOptimizer(.1,g,.1,.05,.1),"ada_da"); run(lambda g:T.AdagradOptimizer(.1),"adagrad"); run(lambda g:T.MomentumOptimizer(.05,.9,use_nesterov=True),"mom"); run(lambda g:T.RMSPropOptimizer(.05,momentum=.5,centered=True),"rms"); run(lambda g:T.AdamOptimizer(.05),"adam"); run(lambda g:T.GradientDescentOptimizer(.05),"sgd")
with tf.Graph().as_default():
    st=v1.placeholder(tf.int64,[])
    ds=[T.cosine_decay_restarts(.1,st,10),T.cosine_decay_restarts(.1,st,10,t_mul=1.,m_mul=.5,alpha=.1),T.linear_cosine_decay(.1,st,20),T.exponential_decay(.1,st,10,.9,staircase=True),T.cosine_decay(.1,st,20),T.polynomial_decay(.1,st,20,cycle=True)]
    with v1.Session() as s:
        for k in (0,3,10,15,25,40): print([np.round(float(x),6) for x in s.run(ds,{st:k})])
server=T.Server.create_local_server(); print(server.target.startswith("grpc"), server.server_def.job_name)
sd=T.ServerDef(cluster=T.ClusterSpec({"w":["127.0.0.1:0"]}).as_cluster_def(),job_name="w",task_index=0,protocol="grpc")
print(T.Server(sd).server_def.job_name)
with tf.Graph().as_default():
    w=v1.get_variable("w",initializer=3.); gs=T.create_global_step(); inc=v1.assign_add(gs,1); v1.summary.scalar("s",w); sm=T.SessionManager()
    with sm.prepare_session(server.target,init_op=v1.global_variables_initializer()) as s: print(s.run([w,gs]))
    sv=T.Saver(); 
    with v1.Session(server.target) as s: p=sv.save(s,"smck/m",global_step=5); s.run(w.assign(9.))
    s,ok=T.SessionManager().recover_session(server.target,saver=sv,checkpoint_dir="smck"); print(ok,s.run(w)); s.close()
    print(T.checkpoint_exists(p), len(T.get_checkpoint_mtimes([p]))); T.remove_checkpoint(p); print(T.checkpoint_exists(p))
    hook=T.SummarySaverHook(save_steps=2,output_dir="smsum",summary_op=v1.summary.merge_all())
    with T.MonitoredSession(hooks=[hook,T.StopAtStepHook(5)]) as s:
        while not s.should_stop(): s.run(inc)
    ev=[]
    import glob
    for f in sorted(glob.glob("smsum/*")):
        for e in T.summary_iterator(f):
            for v in e.summary.value: ev.append((int(e.step),v.tag))
    print(ev[-3:])
for bad in (lambda:T.SummarySaverHook(save_steps=1),lambda:T.FtrlOptimizer(.1,learning_rate_power=.5),lambda:T.SessionManager().prepare_session("")):
    try: bad()
    except Exception as e: print(type(e).__name__, str(e)[:70])
import os,sys; sys.stdout.flush(); os._exit(0)
