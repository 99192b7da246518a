"""Descriptions of summaries of all kinds, steps, scopes, and graphs of what ran (trace_on, trace_export)."""
import os, tempfile
os.chdir(tempfile.mkdtemp())
import tensorflow as tf
import numpy as np, os, glob
def err(f):
    try: r=f(); print("ok", r)
    except Exception as e: print(type(e).__name__, str(e).split(chr(10))[0][:120])
def events(d):
    for f in sorted(glob.glob(d+"/**/*tfevents*",recursive=True)):
        for e in tf.compat.v1.train.summary_iterator(f):
            for v in e.summary.value:
                t=tf.make_ndarray(v.tensor) if v.HasField("tensor") else v.simple_value
                if getattr(t,"dtype",None)==object: t=[x[:12] if isinstance(x,bytes) else x for x in np.ravel(t)]
                print(e.step,v.tag,v.metadata.plugin_data.plugin_name,v.metadata.plugin_data.content,v.metadata.display_name,v.metadata.summary_description,np.round(t,4).tolist() if not isinstance(t,list) else t)
w=tf.summary.create_file_writer("a")
with w.as_default():
    tf.summary.scalar("s",1.5,step=1,description="what it is")
    tf.summary.scalar("s",tf.constant(2),step=2)
    tf.summary.histogram("h",[1.,2.,3.,4.],step=1,buckets=3,description="hd")
    tf.summary.histogram("h",tf.zeros([0]),step=2,buckets=2)
    tf.summary.histogram("one",[5.,5.],step=2,buckets=2)
    tf.summary.image("i",tf.ones([1,2,2,3])*.5,step=1,description="im")
    tf.summary.image("i8",tf.ones([5,2,2,1],tf.uint8),step=1,max_outputs=2)
    tf.summary.text("t",["a","b"],step=3,description="td")
    tf.summary.audio("au",tf.zeros([1,4,1]),8000,step=1,description="ad")
    with tf.name_scope("outer"):
        tf.summary.scalar("in",1,step=1)
        with tf.name_scope("deep"): tf.summary.scalar("in",2,step=1)
    tf.summary.write("raw",tf.constant([1,2]),step=4)
    with tf.summary.record_if(lambda: tf.constant(False)): print(tf.summary.scalar("no",1,step=1))
    with tf.summary.record_if(True): print(tf.summary.scalar("yes",1,step=1))
    err(lambda: tf.summary.scalar("x",1))
    err(lambda: tf.summary.scalar("x",[1,2],step=1))
    err(lambda: tf.summary.text("x",5,step=1))
    tf.summary.experimental.set_step(7); tf.summary.scalar("stepped",3); print(tf.summary.experimental.get_step())
events("a")
with tf.summary.create_file_writer("b").as_default(step=10):
    @tf.function
    def f(x,step):
        tf.summary.scalar("loss",tf.reduce_sum(x),step=step)
        tf.summary.histogram("hx",x,step=step,buckets=2)
        tf.summary.scalar("default",1.0)
        return x
    for i in range(2): f(tf.constant([1.,2.])*i,tf.constant(i,tf.int64))
    v=tf.Variable(20,dtype=tf.int64)
    tf.summary.experimental.set_step(v); tf.summary.scalar("v",1); v.assign_add(1); tf.summary.scalar("v",2)
events("b")
tf.summary.experimental.set_step(None)
w3=tf.summary.create_file_writer("d")
@tf.function
def step(x):
    return x@x
tf.summary.trace_on(graph=True)
step(tf.ones([2,2]))
with w3.as_default(): tf.summary.trace_export("tr",step=0)
w3.close()
for f in glob.glob("d/*"):
    for e in tf.compat.v1.train.summary_iterator(f):
        for v in e.summary.value:
            print(v.tag,v.metadata.plugin_data.plugin_name,v.metadata.plugin_data.content)
            print(len(v.tensor.string_val[0])>50)
tf.summary.trace_on(); tf.summary.trace_off()
with tf.summary.create_file_writer("e").as_default(): err(lambda: tf.summary.trace_export("x",step=1))
tf.summary.trace_on()
err(lambda: tf.summary.trace_export("x",step=1))
with tf.summary.create_file_writer("e").as_default(): err(lambda: tf.summary.trace_export("x"))
