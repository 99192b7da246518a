"""A keyword argument that a function does not have is an error."""
import numpy as np
import tensorflow as tf

K, v1 = tf.keras, tf.compat.v1
m = K.Sequential([K.Input((1,)), K.layers.Dense(1)])
m.compile("sgd", "mse")
x = np.ones([2, 1], "float32")
s, r = tf.SparseTensor([[0, 0]], [1.0], [2, 2]), tf.ragged.constant([[1.0], [2.0, 3.0]])


class Own(K.Model):
    def call(self, x):
        return x


CALLS = {
    "group": lambda **k: tf.group(**k),
    "meshgrid": lambda **k: tf.meshgrid([1],[2],**k),
    "print": lambda **k: tf.print(**k),
    "DeviceSpec.replace": lambda **k: tf.DeviceSpec().replace(**k),
    "adjust_brightness": lambda **k: tf.image.adjust_brightness(np.ones([2,2,3],"float32"),.1,**k),
    "to_json": lambda **k: m.to_json(**k),
    "save": lambda **k: m.save("a.keras",**k),
    "load_weights": lambda **k: (m.save_weights("a.weights.h5",overwrite=True),m.load_weights("a.weights.h5",**k)),
    "save_weights": lambda **k: m.save_weights("b.weights.h5",overwrite=True,**k),
    "fit": lambda **k: m.fit(x,x,verbose=0,**k),
    "evaluate": lambda **k: m.evaluate(x,x,verbose=0,**k),
    "predict": lambda **k: m.predict(x,verbose=0,**k),
    "compile": lambda **k: m.compile("sgd","mse",**k),
    "Metric": lambda **k: K.metrics.Mean()(1.,**k),
    "update_state": lambda **k: K.metrics.Mean().update_state(1.,**k),
    "Layer": lambda **k: K.layers.Dense(1)(x,**k),
    "Own": lambda **k: Own()(x,**k),
    "BCE": lambda **k: K.losses.binary_crossentropy(x,x,**k),
    "map_structure": lambda **k: tf.nest.map_structure(abs,[1],**k),
    "map_flat_values": lambda **k: tf.ragged.map_flat_values(tf.abs,r,**k),
    "map_values": lambda **k: tf.sparse.map_values(tf.abs,s,**k),
    "is_gpu_available": lambda **k: tf.test.is_gpu_available(**k),
    "bucket": lambda **k: tf.data.experimental.bucket_by_sequence_length(len,[1],[1,1],**k),
    "bucket2": lambda **k: tf.data.Dataset.range(3).bucket_by_sequence_length(len,[1],[1,1],**k),
    "abs": lambda **k: K.ops.abs(1.,**k),
    "relu": lambda **k: K.activations.relu(x,**k),
    "clone": lambda **k: K.models.clone_model(m,**k),
    "v1 random_normal": lambda **k: v1.random_normal([1],**k),
    "v1 random_uniform": lambda **k: v1.random_uniform([1],**k),
    "v1 truncated": lambda **k: v1.truncated_normal([1],**k),
    "v1 get_local": lambda **k: v1.get_local_variable("q",[1],**k),
    "template": lambda **k: v1.make_template("t",lambda: 1,**k)(),
    "Value": lambda **k: v1.Summary.Value(tag="a",**k),
    "matmul": lambda **k: tf.matmul(x,x,transpose_a=True,**k),
    "assign": lambda **k: tf.Variable(1.).assign(2.,**k),
    "constant": lambda **k: tf.constant(1,**k),
    "function": lambda **k: tf.function(lambda x:x,**k),
    "tape": lambda **k: tf.GradientTape(**k),
    "checkpoint": lambda **k: tf.train.CheckpointManager(tf.train.Checkpoint(),"c",1,**k),
    "batch": lambda **k: tf.data.Dataset.range(3).batch(2,**k),
    "map": lambda **k: tf.data.Dataset.range(3).map(lambda x:x,**k),
    "from_generator": lambda **k: tf.data.Dataset.from_generator(lambda: [1],output_signature=tf.TensorSpec([],tf.int32),**k),
    "list_files": lambda **k: tf.data.Dataset.list_files("*",**k),
    "TFRecordDataset": lambda **k: tf.data.TFRecordDataset("a",**k),
    "TFRecordWriter": lambda **k: tf.io.TFRecordWriter("a",**k),
    "OneDevice": lambda **k: tf.distribute.OneDeviceStrategy("/cpu:0",**k),
    "Options": lambda **k: tf.data.Options(**k),
    "Module": lambda **k: tf.Module(**k),
    "Generator": lambda **k: tf.random.Generator.from_seed(1,**k),
    "set_seed": lambda **k: tf.random.set_seed(1,**k),
    "clip": lambda **k: tf.clip_by_global_norm([x],1.,**k),
    "TensorArray": lambda **k: tf.TensorArray(tf.float32,1,**k),
    "pad_sequences": lambda **k: K.utils.pad_sequences([[1]],**k),
    "to_categorical": lambda **k: K.utils.to_categorical([1],**k),
    "timeseries": lambda **k: K.utils.timeseries_dataset_from_array(x,x,1,**k),
    "Callback": lambda **k: K.callbacks.Callback(**k),
    "custom_object_scope": lambda **k: K.utils.custom_object_scope({},**k),
    "SeedGenerator": lambda **k: K.random.SeedGenerator(1,**k),
    "normal": lambda **k: K.random.normal([1],**k),
    "apply_gradients": lambda **k: K.optimizers.SGD().apply_gradients([(tf.constant(1.),tf.Variable(1.))],**k),
    "apply": lambda **k: K.optimizers.SGD().apply([tf.constant(1.)],[tf.Variable(1.)],**k),
    "schedule": lambda **k: K.optimizers.schedules.ExponentialDecay(1.,1,1.,**k),
    "get": lambda **k: K.optimizers.get("sgd",**k),
    "add_weight": lambda **k: K.layers.Dense(1).add_weight(shape=(),**k),
    "Sequence": lambda **k: K.utils.Sequence(**k),
    "conv2d": lambda **k: tf.nn.conv2d(np.ones([1,2,2,1],"float32"),np.ones([1,1,1,1],"float32"),1,"SAME",**k),
    "cast": lambda **k: tf.cast(1,tf.float32,**k),
    "cond": lambda **k: tf.cond(tf.constant(True),lambda:1,lambda:2,**k),
    "while_loop": lambda **k: tf.while_loop(lambda i: i<1, lambda i:[i+1],[tf.constant(0)],**k),
    "map_fn": lambda **k: tf.map_fn(lambda x:x,x,**k),
    "load_model": lambda **k: (m.save("a.keras"),K.models.load_model("a.keras",**k)),
    "EMA": lambda **k: tf.train.ExponentialMovingAverage(.9,**k),
}
for name, call in CALLS.items():
    made = []
    for more in ({}, {"bogus": 1}):
        try:
            call(**more)
            made.append("ok")
        except Exception as e:
            made.append(type(e).__name__)
    print(name, *made)
