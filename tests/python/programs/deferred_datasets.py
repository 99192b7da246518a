import tensorflow as tf, numpy as np
v1=tf.compat.v1
v1.disable_eager_execution()
# initializable iterator over placeholders
x=v1.placeholder(tf.float32,[None,2]); y=v1.placeholder(tf.int32,[None])
ds=tf.data.Dataset.from_tensor_slices((x,y)).map(lambda a,b:(a*2,b)).shuffle(10,seed=1).repeat(2).batch(3)
it=v1.data.make_initializable_iterator(ds)
a,b=it.get_next()
print(a.shape,b.shape,v1.data.get_output_shapes(ds),v1.data.get_output_types(it))
X=np.arange(8,dtype=np.float32).reshape(4,2); Y=np.arange(4)
with v1.Session() as s:
    try: s.run(a)
    except Exception as e: print(type(e).__name__)
    for _ in range(2):
        s.run(it.initializer,{x:X,y:Y})
        while True:
            try: print([r.tolist() for r in s.run([a,b])])
            except tf.errors.OutOfRangeError: print("end"); break
# reinitializable
tr=tf.data.Dataset.range(5).map(lambda v:v+10); va=tf.data.Dataset.range(3)
it=v1.data.Iterator.from_structure(v1.data.get_output_types(tr),v1.data.get_output_shapes(tr))
n=it.get_next(); ti=it.make_initializer(tr); vi=it.make_initializer(va)
with v1.Session() as s:
    for init in (ti,vi,ti):
        s.run(init); out=[]
        while True:
            try: out.append(int(s.run(n)))
            except tf.errors.OutOfRangeError: break
        print(out)
# feedable
h=v1.placeholder(tf.string,shape=[])
it=v1.data.Iterator.from_string_handle(h,v1.data.get_output_types(tr),v1.data.get_output_shapes(tr))
n=it.get_next(); i1=v1.data.make_one_shot_iterator(tr.repeat()); i2=v1.data.make_initializable_iterator(va)
with v1.Session() as s:
    h1,h2=s.run([i1.string_handle(),i2.string_handle()])
    s.run(i2.initializer)
    print([int(s.run(n,{h:k})) for k in (h1,h2,h1,h2,h1,h2)])
    try: s.run(n,{h:h2})
    except tf.errors.OutOfRangeError: print("over")
# batch size placeholder
bs=v1.placeholder(tf.int64,[]); m=v1.placeholder(tf.int64,[])
d=tf.data.Dataset.range(m).batch(bs); it=v1.data.make_initializable_iterator(d); n=it.get_next()
with v1.Session() as s:
    s.run(it.initializer,{bs:2,m:5})
    while True:
        try: print(s.run(n).tolist())
        except tf.errors.OutOfRangeError: break
    s.run(it.initializer,{bs:4,m:6}); print(s.run(n).tolist())
# files names placeholder
fn=v1.placeholder(tf.string,[None])
open("a.txt","w").write("l1\nl2\n"); open("b.txt","w").write("m1\n")
d=tf.data.TextLineDataset(fn); it=v1.data.make_initializable_iterator(d); n=it.get_next()
with v1.Session() as s:
    s.run(it.initializer,{fn:["a.txt","b.txt"]})
    print([s.run(n) for _ in range(3)])
# one-shot captured variable? tensors
t=tf.constant([1,2,3]); d=tf.data.Dataset.from_tensor_slices(t*2); n=v1.data.make_one_shot_iterator(d).get_next()
with v1.Session() as s: print([s.run(n) for _ in range(3)])
