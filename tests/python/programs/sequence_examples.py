"""tf.train.SequenceExample, and its parsing, one, batched and in datasets."""
import tensorflow as tf
def F(v):
    if isinstance(v[0],bytes): return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))
    if isinstance(v[0],float): return tf.train.Feature(float_list=tf.train.FloatList(value=v))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))
def L(*f): return tf.train.FeatureList(feature=[F(x) if len(x) else tf.train.Feature() for x in f])
a=tf.train.SequenceExample(context=tf.train.Features(feature={"id":F([7]),"name":F([b"x",b"y"])}),
  feature_lists=tf.train.FeatureLists(feature_list={"frames":L([1.,2.],[3.,4.],[5.,6.]),"words":L([b"a",b"b"],[],[b"c"]),"n":L([1],[2],[3])}))
b=tf.train.SequenceExample(context=tf.train.Features(feature={"id":F([8])}),
  feature_lists=tf.train.FeatureLists(feature_list={"frames":L([9.,8.]),"words":L([b"q"]),"n":L()}))
print(tf.train.SequenceExample(context=tf.train.Features(feature={'id':F([7])}),feature_lists=tf.train.FeatureLists(feature_list={'n':L([1],[2])})))
print(tf.train.SequenceExample.FromString(a.SerializeToString())==a)
c=tf.train.SequenceExample()
c.context.feature["k"].int64_list.value.append(4)
fl=c.feature_lists.feature_list["frames"]
fl.feature.add().float_list.value.extend([1.5,2.5])
fl.feature.add().float_list.value[:]=[3.5,4.5]
print(c, len(fl.feature), c.feature_lists.feature_list["frames"].feature[1].float_list.value)
ctx={"id":tf.io.FixedLenFeature([],tf.int64),"name":tf.io.VarLenFeature(tf.string)}
seq={"frames":tf.io.FixedLenSequenceFeature([2],tf.float32),"words":tf.io.VarLenFeature(tf.string),"n":tf.io.FixedLenSequenceFeature([],tf.int64)}
def show(d):
    for k in sorted(d):
        v=d[k]
        if isinstance(v,tf.SparseTensor): print(k,"S",v.indices.numpy().tolist(),v.values.numpy().tolist(),v.dense_shape.numpy().tolist())
        elif isinstance(v,tf.RaggedTensor): print(k,"R",v)
        else: print(k,v)
for x in (a,b):
    c1,s1=tf.io.parse_single_sequence_example(x.SerializeToString(),ctx,seq)
    show(c1); show(s1)
ser=[a.SerializeToString(),b.SerializeToString()]
c1,s1,l1=tf.io.parse_sequence_example(ser,ctx,seq)
show(c1); show(s1); show(l1)
rs={"words":tf.io.RaggedFeature(tf.string),"frames":tf.io.RaggedFeature(tf.float32)}
c1,s1,l1=tf.io.parse_sequence_example(ser,{"name":tf.io.RaggedFeature(tf.string)},rs)
show(c1); show(s1); show(l1)
c1,s1=tf.io.parse_single_sequence_example(ser[0],None,rs); print(c1); show(s1)
ds=tf.data.Dataset.from_tensor_slices(ser).map(lambda s: tf.io.parse_single_sequence_example(s,ctx,seq))
for c1,s1 in ds: show(c1); show(s1)
for c1,s1,l1 in tf.data.Dataset.from_tensor_slices(ser*2).batch(3).map(lambda s: tf.io.parse_sequence_example(s,ctx,seq)): show(c1); show(s1); show(l1)
def err(f):
    try: f(); print("ok")
    except Exception as e: print(type(e).__name__)
err(lambda: tf.io.parse_single_sequence_example(ser[0],ctx,{"gone":tf.io.FixedLenSequenceFeature([],tf.int64)}))
_,s1=tf.io.parse_single_sequence_example(ser[0],ctx,{"gone":tf.io.FixedLenSequenceFeature([],tf.int64,allow_missing=True)}); show(s1)
err(lambda: tf.io.parse_single_sequence_example(ser[0],ctx,{"frames":tf.io.FixedLenSequenceFeature([3],tf.float32)}))
err(lambda: tf.io.parse_single_sequence_example(ser[0],ctx,{"frames":tf.io.FixedLenSequenceFeature([2],tf.int64)}))
err(lambda: tf.io.parse_single_sequence_example(b"zzz",ctx,seq))
err(lambda: tf.io.parse_single_sequence_example(ser[0]))
err(lambda: tf.io.parse_single_sequence_example(ser,ctx,seq))
