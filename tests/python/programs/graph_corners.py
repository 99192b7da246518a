# version 1 graph corner cases as users write them
import tensorflow as tf, numpy as np
v1=tf.compat.v1
v1.disable_eager_execution()
# variable scopes & reuse
with v1.variable_scope("net"):
    w=v1.get_variable("w",[2,2],initializer=v1.constant_initializer(1.)); 
    with v1.variable_scope("in"): b=v1.get_variable("b",[2],initializer=v1.zeros_initializer())
with v1.variable_scope("net",reuse=True): w2=v1.get_variable("w",[2,2])
print(w is w2, w.name, b.name, w.op.name)
try:
    with v1.variable_scope("net"): v1.get_variable("w",[2,2])
except ValueError as e: print("ValueError", "already exists" in str(e))
with v1.variable_scope("net",reuse=v1.AUTO_REUSE): w3=v1.get_variable("w",[2,2]); n=v1.get_variable("n",[1])
print(w3 is w, [v.name for v in v1.trainable_variables()])
# name scopes & op names
with tf.name_scope("a"):
    x=tf.constant(1.,name="x"); y=tf.add(x,2.,name="y")
    with tf.name_scope("b"): z=y*x
print(x.name,y.name,z.name,z.op.type,[i.name for i in z.op.inputs], y.op.node_def.op if hasattr(y.op,'node_def') else '')
g=v1.get_default_graph(); print(g.get_tensor_by_name("a/y:0").name, g.get_operation_by_name("a/y").name, len(g.get_operations())>5)
try: g.get_tensor_by_name("nope:0")
except KeyError as e: print("KeyError")
# placeholders and feed errors
p=v1.placeholder(tf.float32,[None,3],name="p"); s_=tf.reduce_sum(p,axis=1)
with v1.Session() as s:
    s.run(v1.global_variables_initializer())
    print(s.run(s_,{p:np.ones((2,3))}), s.run([s_,{"k":(p,)}],{p:[[1,2,3]]}))
    for bad in (lambda: s.run(s_), lambda: s.run(s_,{p:[1,2]}), lambda: s.run("zz:0"), lambda: s.run(s_,{p:"text"}), lambda: s.run(None), lambda: s.run(s_,{"q:0":1})):
        try: bad()
        except Exception as e: print(type(e).__name__)
    # overriding an intermediate tensor
    print(s.run(z,{y:10.}), s.run(z))
    print(w.eval(), s.run(tf.shape(p),{p:np.zeros((4,3))}), p.eval({p:[[0,0,1]]}))
    # control dependencies & groups
    c=tf.Variable(0.,name="c"); s.run(c.initializer)
    with tf.control_dependencies([c.assign_add(1.)]): r=tf.identity(c)
    with tf.control_dependencies([c.assign(100.)]): k=tf.no_op()
    print(s.run(r), s.run(r), s.run(k), s.run(c))
    gop=tf.group(c.assign(1.),w.assign(w*2)); s.run(gop); print(s.run([c,w]))
    # assign with dependency order
    a1=c.assign(7.); 
    with tf.control_dependencies([a1]): a2=c.assign_add(3.)
    print(s.run(a2), s.run([a1,a2])[1], s.run(c))
    # cond / while / case
    pr=v1.placeholder(tf.bool,[]); q=tf.cond(pr,lambda:c.assign_add(1.),lambda:c.assign_sub(1.)); print(s.run(q,{pr:True}),s.run(q,{pr:False}),s.run(c))
    i,acc=tf.while_loop(lambda i,a:i<4,lambda i,a:(i+1,a*2.),[0,1.]); print(s.run([i,acc]))
    print(s.run(tf.case([(c>5.,lambda:1),(c>0.,lambda:2)],default=lambda:3)))
    gr=tf.gradients(tf.reduce_sum(tf.matmul(p,tf.ones([3,2]))**2),[p])[0]; print(s.run(gr,{p:[[1,0,0]]}))
    print(tf.gradients(y,w), [type(x).__name__ for x in tf.gradients(tf.reduce_sum(tf.gather(w,[0])),[w])])
    st=tf.stop_gradient(c*2)*c; print(s.run(tf.gradients(st,c)))
    # partial run of graph, device, as_default
    print(s.graph is g, v1.get_default_session() is s)
v1.reset_default_graph()
print(len(v1.get_default_graph().get_operations()), v1.trainable_variables())
ema=tf.train.ExponentialMovingAverage(0.5); v=v1.get_variable("v",initializer=4.); m=ema.apply([v]); av=ema.average(v)
sv=v1.train.Saver()
with v1.Session() as s:
    s.run(v1.global_variables_initializer()); s.run(v.assign(8.)); s.run(m); print(s.run(av), av.name, ema.average_name(v))
    path=sv.save(s,"gr3/m"); print([n for n,_ in tf.train.list_variables(path)])
    s.run(v.assign(0.)); sv.restore(s,path); print(s.run(v))
it=v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)); nx=it.get_next()
with v1.Session() as s: print([int(s.run(nx)) for _ in range(3)])
cl=s
try: cl.run(nx)
except RuntimeError as e: print("RuntimeError")
@tf.function
def ff(a): return a*2
print(ff(tf.constant(3.)).name is not None)
with v1.Session() as s: print(s.run(ff(tf.constant(3.))))
f32=v1.placeholder_with_default(tf.constant([1.,2.]),[None]); 
with v1.Session() as s: print(s.run(f32+1), s.run(f32+1,{f32:[5.]}))
h=v1.get_default_graph().as_graph_def(); print(type(h).__name__, any(n.op=="Placeholder" or n.op=="PlaceholderWithDefault" for n in h.node))
v1.get_default_graph().finalize()
try: tf.constant(1)
except RuntimeError as e: print("RuntimeError")
