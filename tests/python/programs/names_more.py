import tensorflow as tf, numpy as np
print(tf.tensor_scatter_nd_max([1,5,3],[[0],[1],[0]],[4,2,9]).numpy(), tf.tensor_scatter_nd_min([[1.,2.],[3.,4.]],[[1],[1]],[[0.,9.],[5.,1.]]).numpy().tolist(), tf.tensor_scatter_nd_max([[1,2],[3,4]],[[0,1],[1,0]],[7,1]).numpy().tolist())
print(tf.type_spec_from_value(tf.constant([1.,2.])), isinstance(tf.TensorSpec([1]),tf.TypeSpec), tf.type_spec_from_value(3), tf.type_spec_from_value(np.zeros((2,3))))
try: tf.type_spec_from_value(object)
except TypeError as e: print("TypeError")
with tf.name_scope("a"):
    with tf.name_scope("b"): print(tf.get_current_name_scope())
print(repr(tf.get_current_name_scope()))
tf.assert_equal(1,1); tf.assert_greater(2,1); tf.assert_less(1,2); tf.assert_rank(tf.zeros([2,2]),2)
print(tf.histogram_fixed_width_bins([-1.,0.,1.5,2.,5.,15.],[0.,5.],nbins=5).numpy())
print(tf.config.experimental_functions_run_eagerly()); tf.config.experimental_run_functions_eagerly(True); print(tf.config.functions_run_eagerly()); tf.config.run_functions_eagerly(False)
s=tf.distribute.OneDeviceStrategy("/cpu:0")
tf.distribute.experimental_set_strategy(s); print(tf.distribute.get_strategy() is s, tf.distribute.has_strategy()); tf.distribute.experimental_set_strategy(None); print(tf.distribute.has_strategy())
print(isinstance(s.extended, tf.distribute.StrategyExtended))
E=tf.data.experimental
ds=tf.data.Dataset.range(10)
red=E.Reducer(init_func=lambda _: tf.constant(0,tf.int64),reduce_func=lambda s,x: s+x,finalize_func=lambda s: s*10)
print([int(x) for x in ds.apply(E.group_by_reducer(lambda x:x%3,red))])
print([x.numpy().tolist() for x in ds.apply(E.map_and_batch(lambda v:v*v,4))], [int(x) for x in ds.apply(E.shuffle_and_repeat(1,2)).take(12)])
print([int(x) for x in tf.data.Dataset.range(3).apply(E.parallel_interleave(lambda v: tf.data.Dataset.from_tensors(v).repeat(3),cycle_length=2))])
o=tf.data.Options(); o.threading=tf.data.ThreadingOptions(); o.threading.private_threadpool_size=2; o.experimental_optimization=E.OptimizationOptions(); o.experimental_distribute=E.DistributeOptions(); o.experimental_distribute.auto_shard_policy=tf.data.experimental.AutoShardPolicy.OFF
print(len(list(ds.with_options(o))), E.SHARD_HINT, E.ExternalStatePolicy.WARN.name)
it=iter(tf.data.Dataset.range(1)); a=E.get_next_as_optional(it); b=E.get_next_as_optional(it); print(a.has_value().numpy(), a.get_value().numpy(), b.has_value().numpy(), isinstance(a,E.Optional))
w=E.TFRecordWriter("w.tfr"); w.write(tf.data.Dataset.from_tensor_slices([b"x",b"yy"])); print([r.numpy() for r in tf.data.TFRecordDataset("w.tfr")])
K=tf.keras
print(K.metrics.MSE([1.,2.],[1.,4.]).numpy(), K.metrics.mse([[1.,2.]],[[1.,4.]]).numpy(), K.metrics.mae([[1.,2.]],[[1.,4.]]).numpy(), K.metrics.kld([[.5,.5]],[[.4,.6]]).numpy().round(5), K.metrics.hinge([[1.,-1.]],[[.5,.5]]).numpy(), K.metrics.top_k_categorical_accuracy([[0,0,1.]],[[.1,.8,.05]],k=2).numpy(), K.metrics.sparse_top_k_categorical_accuracy([2],[[.1,.8,.3]],k=2).numpy(), K.metrics.poisson([[1.]],[[2.]]).numpy().round(5), K.metrics.squared_hinge([[1.,-1.]],[[.5,.5]]).numpy(), K.metrics.logcosh([[1.]],[[2.]]).numpy().round(5), K.metrics.huber([[1.]],[[4.]]).numpy(), K.metrics.categorical_hinge([[0.,1.]],[[.3,.6]]).numpy().round(5), K.metrics.mape([[1.]],[[2.]]).numpy(), K.metrics.msle([[1.]],[[2.]]).numpy().round(5), K.metrics.binary_focal_crossentropy([[1.]],[[.7]]).numpy().round(5))
print(K.initializers.serialize(K.initializers.Zeros())["class_name"], K.initializers.deserialize({"class_name":"Ones","config":{}})([2]).numpy(), K.regularizers.deserialize(K.regularizers.serialize(K.regularizers.L2(.1))).l2, K.constraints.deserialize(K.constraints.serialize(K.constraints.MaxNorm(3.))).max_value, K.activations.deserialize("relu")(tf.constant([-1.,2.])).numpy())
v=K.Variable([1.,2.],name="kv",trainable=False); v.assign([3.,4.]); print(v.numpy(), v.shape, v.name, v.trainable); v.assign_add([1.,1.]); print((v+1).numpy(), K.ops.sum(v).numpy())
