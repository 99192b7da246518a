"""A choice that is given as a string: another one is an error where Keras and TensorFlow raise it."""
import inspect

import numpy as np
import tensorflow as tf

K = tf.keras
O, v1 = K.ops, tf.compat.v1
NEEDED = {  # arguments without a default
    "units": 2, "filters": 2, "kernel_size": 2, "rate": 0.5, "num_heads": 1, "key_dim": 2, "input_dim": 3, "output_dim": 2,
    "equation": "ab,bc->ac", "output_shape": 2, "function": abs, "axes": 1, "shape": (2,), "n": 2, "dims": (1,), "target_shape": (1,),
    "num_bins": 3, "num_tokens": 3, "height": 2, "width": 2, "factor": 0.1, "scale": 1.0, "stddev": 0.1, "activation": "relu",
    "height_factor": 0.1, "width_factor": 0.1, "output_size": 2, "filepath": "x.keras", "filename": "x", "recall": 0.5,
    "precision": 0.5, "sensitivity": 0.5, "specificity": 0.5, "num_classes": 2, "target_class_ids": [0], "fn": abs,
    "schedule": lambda epoch: 0.1, "backup_dir": "b", "value": 1.0, "learning_rate": 0.1, "alpha": 0.1, "seed": 1, "dtype": None}
# Parameters, and the classes that have them.
CLASSES = {
    "activation": "layers.Activation",
    "data_format":
        "layers.AdaptiveAveragePooling1D layers.AdaptiveAveragePooling2D layers.AdaptiveAveragePooling3D "
        "layers.AdaptiveMaxPooling1D layers.AdaptiveMaxPooling2D layers.AdaptiveMaxPooling3D layers.CenterCrop "
        "layers.Cropping2D layers.Cropping3D layers.Flatten layers.GlobalAveragePooling1D "
        "layers.GlobalAveragePooling2D layers.GlobalAveragePooling3D layers.MaxPooling3D layers.RandomCrop "
        "layers.RandomFlip layers.SpatialDropout2D layers.UpSampling3D",
    "score_mode": "layers.Attention",
    "beta_initializer gamma_initializer moving_mean_initializer moving_variance_initializer beta_regularizer "
    "gamma_regularizer beta_constraint gamma_constraint":
        "layers.BatchNormalization",
    "merge_mode": "layers.Bidirectional",
    "padding data_format activation kernel_initializer bias_initializer kernel_regularizer bias_regularizer "
    "activity_regularizer kernel_constraint bias_constraint":
        "layers.Conv1D layers.Conv2D layers.Conv3D",
    "padding output_padding data_format activation kernel_initializer bias_initializer kernel_regularizer "
    "bias_regularizer activity_regularizer kernel_constraint bias_constraint":
        "layers.Conv1DTranspose layers.Conv2DTranspose",
    "padding data_format output_padding activation kernel_initializer bias_initializer kernel_regularizer "
    "bias_regularizer activity_regularizer kernel_constraint bias_constraint":
        "layers.Conv3DTranspose",
    "padding data_format activation recurrent_activation kernel_initializer recurrent_initializer "
    "bias_initializer kernel_regularizer recurrent_regularizer bias_regularizer activity_regularizer "
    "kernel_constraint recurrent_constraint bias_constraint":
        "layers.ConvLSTM1D layers.ConvLSTM2D layers.ConvLSTM3D",
    "activation kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
    "kernel_constraint bias_constraint":
        "layers.Dense",
    "padding data_format activation depthwise_initializer bias_initializer depthwise_regularizer "
    "bias_regularizer activity_regularizer depthwise_constraint bias_constraint":
        "layers.DepthwiseConv1D layers.DepthwiseConv2D",
    "activation kernel_initializer bias_initializer kernel_regularizer bias_regularizer kernel_constraint "
    "bias_constraint":
        "layers.EinsumDense",
    "embeddings_initializer embeddings_regularizer embeddings_constraint": "layers.Embedding",
    "activation recurrent_activation kernel_initializer recurrent_initializer bias_initializer "
    "kernel_regularizer recurrent_regularizer bias_regularizer activity_regularizer kernel_constraint "
    "recurrent_constraint bias_constraint":
        "layers.GRU layers.LSTM",
    "activation recurrent_activation kernel_initializer recurrent_initializer bias_initializer "
    "kernel_regularizer recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint "
    "bias_constraint":
        "layers.GRUCell layers.LSTMCell",
    "beta_initializer gamma_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint":
        "layers.GroupNormalization layers.LayerNormalization",
    "output_mode": "layers.HashedCrossing layers.Hashing",
    "vocabulary_dtype output_mode oov_method": "layers.IntegerLookup",
    "padding data_format":
        "layers.MaxPooling1D layers.MaxPooling2D layers.ZeroPadding1D layers.ZeroPadding2D layers.ZeroPadding3D",
    "kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
    "kernel_constraint bias_constraint":
        "layers.MultiHeadAttention",
    "alpha_initializer alpha_regularizer alpha_constraint": "layers.PReLU",
    "fill_mode interpolation data_format": "layers.RandomRotation layers.RandomTranslation layers.RandomZoom",
    "interpolation fill_mode data_format": "layers.Resizing",
    "padding data_format activation depthwise_initializer pointwise_initializer bias_initializer "
    "depthwise_regularizer pointwise_regularizer bias_regularizer activity_regularizer depthwise_constraint "
    "pointwise_constraint bias_constraint":
        "layers.SeparableConv1D layers.SeparableConv2D",
    "activation kernel_initializer recurrent_initializer bias_initializer kernel_regularizer "
    "recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint bias_constraint":
        "layers.SimpleRNN layers.SimpleRNNCell",
    "oov_token output_mode": "layers.StringLookup",
    "standardize split output_mode": "layers.TextVectorization",
    "data_format interpolation": "layers.UpSampling2D",
    "reduction":
        "losses.BinaryCrossentropy losses.BinaryFocalCrossentropy losses.CategoricalCrossentropy "
        "losses.CategoricalFocalCrossentropy losses.CategoricalGeneralizedCrossEntropy losses.CategoricalHinge "
        "losses.CosineSimilarity losses.Dice losses.Hinge losses.Huber losses.KLDivergence losses.LogCosh "
        "losses.MeanAbsoluteError losses.MeanAbsolutePercentageError losses.MeanSquaredError "
        "losses.MeanSquaredLogarithmicError losses.Poisson losses.SparseCategoricalCrossentropy "
        "losses.SquaredHinge losses.Tversky",
    "curve summation_method": "metrics.AUC",
    "average": "metrics.F1Score metrics.FBetaScore",
    "class_aggregation": "metrics.R2Score",
    "save_freq": "callbacks.BackupAndRestore",
    "separator": "callbacks.CSVLogger",
    "monitor mode": "callbacks.EarlyStopping callbacks.ReduceLROnPlateau",
    "monitor mode save_freq": "callbacks.ModelCheckpoint",
    "log_dir update_freq": "callbacks.TensorBoard",
    "mode distribution": "initializers.VarianceScaling",
    "mode": "regularizers.OrthogonalRegularizer",
}
image, volume = np.ones([1, 4, 4, 3], "float32"), np.ones([1, 3, 3, 3, 2], "float32")
steps, rows, numbers = np.ones([1, 5, 3], "float32"), np.ones([2, 3], "float32"), np.array([[1, 2]])


def inputs(name):
    if "3D" in name:
        return (volume,)
    if "2D" in name or name.startswith(("Random", "Center", "Resiz")):
        return (image,)
    if name == "ConvLSTM1D":
        return (np.ones([1, 2, 5, 3], "float32"),)
    if name == "MultiHeadAttention":
        return steps, steps
    if name in ("Attention", "AdditiveAttention"):
        return ([steps, steps],)
    if "1D" in name or name in ("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional", "TimeDistributed"):
        return (steps,)
    if name in ("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract", "Concatenate", "Dot"):
        return ([rows, rows],)
    if name in ("StringLookup", "TextVectorization", "Hashing"):
        return (tf.constant([["a b"]]),)
    if name == "HashedCrossing":
        return ((np.array([1, 2]), np.array([1, 2])),)
    return (numbers,) if name in ("IntegerLookup", "CategoryEncoding", "Embedding") else (rows,)


def error(call):
    try:
        call()
        return "ok"
    except Exception as e:
        return type(e).__name__


def fit(callback):
    model = K.Sequential([K.Input((3,)), K.layers.Dense(3)])
    model.compile("sgd", "mse")
    model.fit(rows, rows, verbose=0, epochs=2, callbacks=[callback], validation_data=(rows, rows))


def use(module, name, made):
    """What raises an error where the constructor does not."""
    if module == "layers":
        return error(lambda: made(*inputs(name), **({"training": True} if name.startswith("Random") else {})))
    if module == "metrics":
        return error(lambda: (made.update_state(rows, rows), made.result()))
    return error({"losses": lambda: made(rows, rows), "initializers": lambda: made((3, 3)), "regularizers": lambda: made(rows),
                  "callbacks": lambda: fit(made), "optimizers": lambda: None}[module])


for parameters, names in CLASSES.items():
    for path in names.split():
        module, name = path.split(".")
        kind = getattr(getattr(K, module), name)
        given = {one.name: NEEDED.get(one.name) for one in list(inspect.signature(kind.__init__).parameters.values())[1:]
                 if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD}
        if name in ("SpectralNormalization", "TimeDistributed", "Wrapper"):
            given["layer"] = K.layers.Dense(2)
        if name == "Bidirectional":
            given["layer"] = K.layers.LSTM(2)
        if name in ("StringLookup", "TextVectorization", "IntegerLookup"):
            given["vocabulary"] = [1] if name == "IntegerLookup" else ["a"]
        if name == "CategoryEncoding":
            given["num_tokens"] = 3
        for parameter in parameters.split():
            made = []
            first = error(lambda: made.append(kind(**{**given, parameter: "bogus"})))
            print(path, parameter, first, use(module, name, made[0]) if made and not name.endswith("Cell") else "")
        if name not in ("HashedCrossing", "ReduceLROnPlateau"):  # which take any keyword in Keras
            print(path, "bogus_argument", error(lambda: kind(**given, bogus_argument=1)) != "ok")

B, vec, mat, seq = "bogus", tf.constant([1.0, 2.0]), tf.eye(2), tf.ones([1, 4, 1])
img, ker, vol = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 2, 1])
FUNCTIONS = {
    "conv2d padding": lambda: tf.nn.conv2d(img,ker,1,B),
    "conv2d format": lambda: tf.nn.conv2d(img,ker,1,"SAME",data_format=B),
    "conv1d padding": lambda: tf.nn.conv1d(seq,tf.ones([2,1,1]),1,B),
    "conv3d padding": lambda: tf.nn.conv3d(vol,tf.ones([1,1,1,1,1]),[1]*5,B),
    "depthwise": lambda: tf.nn.depthwise_conv2d(img,ker,[1]*4,B),
    "separable": lambda: tf.nn.separable_conv2d(img,ker,tf.ones([1,1,1,1]),[1]*4,B),
    "conv2d_transpose": lambda: tf.nn.conv2d_transpose(img,ker,[1,4,4,1],1,padding=B),
    "max_pool": lambda: tf.nn.max_pool2d(img,2,2,B),
    "avg_pool": lambda: tf.nn.avg_pool2d(img,2,2,B),
    "pool": lambda: tf.nn.pool(img,[2,2],B),
    "pool type": lambda: tf.nn.pool(img,[2,2],B,padding="SAME"),
    "max_pool format": lambda: tf.nn.max_pool2d(img,2,2,"SAME",data_format=B),
    "atrous": lambda: tf.nn.atrous_conv2d(img,ker,1,B),
    "convolution": lambda: tf.nn.convolution(img,ker,padding=B),
    "space_to_depth": lambda: tf.nn.space_to_depth(img,2,data_format=B),
    "depth_to_space": lambda: tf.nn.depth_to_space(tf.ones([1,1,1,4]),2,data_format=B),
    "embedding combiner": lambda: tf.nn.embedding_lookup_sparse(mat,tf.SparseTensor([[0,0]],[1],[1,1]),None,combiner=B),
    "extract_patches": lambda: tf.image.extract_patches(img,[1,2,2,1],[1]*4,[1]*4,B),
    "resize": lambda: tf.image.resize(img,[2,2],B),
    "pad": lambda: tf.pad(vec,[[1,1]],B),
    "norm": lambda: tf.norm(vec,B),
    "argsort": lambda: tf.argsort(vec,direction=B),
    "sort": lambda: tf.sort(vec,direction=B),
    "meshgrid": lambda: tf.meshgrid(vec,vec,indexing=B),
    "searchsorted": lambda: tf.searchsorted(vec,vec,side=B),
    "reduce_join": lambda: tf.strings.unicode_decode(["a"],B),
    "transcode": lambda: tf.strings.unicode_transcode(["a"],"UTF-8",B),
    "unicode errors": lambda: tf.strings.unicode_decode(["a"],"UTF-8",errors=B),
    "substr": lambda: tf.strings.substr(["a"],0,1,unit=B),
    "length": lambda: tf.strings.length(["a"],unit=B),
    "encode": lambda: tf.strings.unicode_encode(tf.constant([97]),B),
    "lower": lambda: tf.strings.lower(["a"],encoding=B),
    "upper": lambda: tf.strings.upper(["a"],encoding=B),
    "random alg": lambda: tf.random.Generator.from_seed(1,alg=B),
    "stateless alg": lambda: tf.random.stateless_uniform([1],[1,2],alg=B),
    "cast": lambda: tf.cast(1,B),
    "zeros": lambda: tf.zeros([1],B),
    "constant": lambda: tf.constant(1,B),
    "svd": lambda: tf.linalg.matrix_transpose(mat,B) and None,
    "matrix_diag align": lambda: tf.linalg.diag(vec,align=B),
    "set_diag align": lambda: tf.linalg.set_diag(mat,vec,align=B),
    "diag_part align": lambda: tf.linalg.diag_part(mat,align=B),
    "rnn reduce": lambda: tf.distribute.get_strategy().reduce(B,1.,None),
    "autoshard": lambda: setattr(tf.data.Options().experimental_distribute,"auto_shard_policy",B),
    "gradient unconnected": lambda: tf.GradientTape().gradient(vec,vec,unconnected_gradients=B),
    "tf.gradients": lambda: tf.function(lambda x: tf.gradients(x,x,unconnected_gradients=B))(vec),
    "variable sync": lambda: tf.Variable(1.,synchronization=B),
    "variable aggregation": lambda: tf.Variable(1.,aggregation=B),
    "TFRecord": lambda: tf.io.TFRecordWriter("x",B),
    "TFRecordDataset": lambda: list(tf.data.TFRecordDataset("nope",B)),
    "reduction v1": lambda: v1.losses.mean_squared_error(vec,vec,reduction=B),
    "O.conv": lambda: O.conv(img,ker,1,B),
    "O.max_pool": lambda: O.max_pool(img,2,padding=B),
    "O.average_pool": lambda: O.average_pool(img,2,padding=B),
    "O.depthwise": lambda: O.depthwise_conv(img,ker,1,B),
    "O.image.resize": lambda: O.image.resize(img,(2,2),interpolation=B),
    "O.affine": lambda: O.image.affine_transform(img,tf.ones([1,8]),interpolation=B),
    "O.affine fill": lambda: O.image.affine_transform(img,tf.ones([1,8]),fill_mode=B),
    "O.pad": lambda: O.pad(vec,1,B),
    "O.searchsorted": lambda: O.searchsorted(vec,vec,side=B),
    "O.meshgrid": lambda: O.meshgrid(vec,vec,indexing=B),
    "O.norm": lambda: O.norm(vec,B),
    "O.correlate": lambda: O.correlate(vec,vec,mode=B),
    "O.qr": lambda: O.qr(mat,mode=B),
    "O.format": lambda: O.conv(img,ker,1,"same",data_format=B),
    "O.unravel": lambda: O.extract_sequences(vec,B,1),
    "O.stft": lambda: O.stft(tf.ones([8]),4,2,4,window=B),
    "activations.get": lambda: K.activations.get(B),
    "losses.get": lambda: K.losses.get(B),
    "metrics.get": lambda: K.metrics.get(B),
    "optimizers.get": lambda: K.optimizers.get(B),
    "initializers.get": lambda: K.initializers.get(B),
    "regularizers.get": lambda: K.regularizers.get(B),
    "constraints.get": lambda: K.constraints.get(B),
    "policy": lambda: K.mixed_precision.set_global_policy(B),
    "floatx": lambda: K.backend.set_floatx(B),
    "format": lambda: K.backend.set_image_data_format(B),
    "pad_sequences": lambda: K.utils.pad_sequences([[1]],padding=B),
    "truncating": lambda: K.utils.pad_sequences([[1,2]],maxlen=1,truncating=B),
    "layer dtype": lambda: K.layers.Dense(1,dtype=B),
    "pad dtype": lambda: K.utils.pad_sequences([[1]],dtype=B),
    "normalize": lambda: K.utils.normalize(np.ones([1,2]),order=B),
    "merge_mode": lambda: K.layers.Bidirectional(K.layers.LSTM(1),merge_mode=B),
    "timeseries": lambda: K.utils.timeseries_dataset_from_array(np.ones(3),None,1,shuffle=B) and None,
}
for name, call in FUNCTIONS.items():
    print(name, error(call))
