import tensorflow as tf
L = tf.keras.layers


def short(config):
    return {key: (one["class_name"], one["config"]) if isinstance(one, dict) and "class_name" in one else one
            for key, one in config.items() if key != "trainable"}


made = [
    L.Dense(3, activation="relu", kernel_regularizer=tf.keras.regularizers.L2(0.5), name="d"), L.Dense(2, use_bias=False, kernel_constraint="non_neg"),
    L.Conv2D(4, 3, strides=2, padding="same", kernel_initializer="he_normal"), L.Conv1D(4, 3, padding="causal", dilation_rate=2),
    L.DepthwiseConv2D((3, 2), depth_multiplier=2), L.SeparableConv2D(4, 3, pointwise_initializer="ones"), L.Conv2DTranspose(3, 2, strides=2),
    L.Conv3D(2, (1, 2, 3)), L.MaxPooling2D(), L.AveragePooling1D(3), L.MaxPooling3D(2, strides=1, padding="same"),
    L.GlobalAveragePooling2D(), L.GlobalMaxPooling1D(keepdims=True), L.Flatten(), L.Reshape((2, 3)), L.Permute((2, 1)), L.RepeatVector(2),
    L.Dropout(0.3, seed=4), L.GaussianNoise(0.1, seed=1), L.BatchNormalization(momentum=0.9), L.LayerNormalization(epsilon=0.01, scale=False),
    L.GroupNormalization(2), L.UnitNormalization(), L.Embedding(4, 2, mask_zero=True), L.LSTM(2, return_sequences=True), L.GRU(2, reset_after=False),
    L.SimpleRNN(2, activation="relu", dropout=0.25), L.LSTMCell(2), L.GRUCell(3), L.SimpleRNNCell(2), L.ZeroPadding2D((1, 2)), L.ZeroPadding1D(2),
    L.Cropping2D(((1, 2), (3, 4))), L.Cropping1D((1, 2)), L.UpSampling2D((2, 3), interpolation="bilinear"), L.UpSampling1D(3), L.ReLU(max_value=6.0),
    L.LeakyReLU(negative_slope=0.1), L.PReLU(shared_axes=[1]), L.Softmax(axis=1), L.Activation("tanh"), L.Masking(0.5), L.Rescaling(0.5, offset=1.0),
    L.Add(), L.Concatenate(axis=1), L.Dot(axes=1), L.Attention(use_scale=True), L.EinsumDense("ab,bc->ac", (3,), bias_axes="c"), L.Resizing(2, 3), L.CenterCrop(2, 2),
    L.RMSNormalization(), L.Identity(), L.InputLayer(shape=(2,), name="place")]
for one in made:
    config = one.get_config()
    again = type(one).from_config(config)
    print(type(one).__name__, short(config), again.get_config() == config)


class Scaled(L.Dense):
    def __init__(self, units, factor=2.0, **kwargs):
        super().__init__(units, **kwargs)
        self.factor = factor

    def call(self, inputs):
        return super().call(inputs) * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


one = Scaled(3, factor=4.0, activation="relu", name="scaled")
print(list(one.get_config()))
again = Scaled.from_config(one.get_config())
print(again.factor, again.units, again.activation.__name__, again.name)


class Bottleneck(L.Conv2D):
    def __init__(self, width, **kwargs):
        super().__init__(width // 2, kernel_size=1, padding="same", **kwargs)
        self.width = width

    def get_config(self):
        config = super().get_config()
        return {"width": self.width, "name": config["name"], "filters_made": config["filters"]}


class Norm(L.LayerNormalization):
    def __init__(self, **kwargs):
        super().__init__(epsilon=1e-4, **kwargs)


print(Bottleneck(8, activation="relu", name="b").get_config())
print(short(Norm(name="n").get_config()))
print(short(Scaled(2, name="s").get_config()))
