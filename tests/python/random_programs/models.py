"""Keras programs drawn from a seed: a model, its data, what it is compiled with and how it is fitted.

`train(seed, strategy)` gives all that such a program leaves behind as arrays by name: history, weights, optimizer's variables,
predictions, evaluation. What is drawn depends on the seed alone, never on the strategy."""
import random

import numpy as np

import lockstep as tf

keras = tf.keras
layers = keras.layers


class WithLoss(layers.Layer):
    """A product with a weight of its own, and a loss on its outputs."""

    def __init__(self, units, **arguments):
        super().__init__(**arguments)
        self.units = units

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer="glorot_uniform", name="kernel")

    def call(self, x):
        y = tf.matmul(x, tf.cast(self.kernel, x.dtype))
        self.add_loss(0.01 * tf.reduce_mean(tf.square(tf.cast(y, tf.float32))))
        return y


class OwnTrainStep(keras.Model):
    """`fit` with a step of the model's own."""

    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x, y, predicted, sample_weight)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return self.compute_metrics(x, y, predicted, sample_weight)


class Halving(keras.callbacks.Callback):
    """Halves the rate after so many batches, which it counts itself."""

    def __init__(self, batches):
        super().__init__()
        self.batches, self.seen = batches, 0

    def on_train_batch_end(self, batch, logs=None):
        self.seen += 1
        if self.seen % self.batches == 0:
            self.model.optimizer.learning_rate = float(self.model.optimizer.learning_rate) / 2


class Interrupted(Exception):
    pass


class Interrupt(keras.callbacks.Callback):
    """Ends training when an epoch would begin."""

    def __init__(self, epoch):
        super().__init__()
        self.epoch = epoch

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.epoch:
            raise Interrupted


# ---- parts of a model: each takes the draw and a symbolic tensor ---------------------------------------


def regularizer(draw):
    return draw.choice([None, None, None, keras.regularizers.L2(0.01), keras.regularizers.L1(0.003),
                        keras.regularizers.L1L2(0.001, 0.01)])


def constraint(draw):
    return draw.choice([None, None, None, keras.constraints.MaxNorm(1.0), keras.constraints.UnitNorm(),
                        keras.constraints.NonNeg(), keras.constraints.MinMaxNorm(0.2, 1.1)])


def activation(draw):
    return draw.choice(["relu", "tanh", "sigmoid", "gelu", "elu", "swish", "softplus", "selu", "leaky_relu", "softmax",
                        None])


def dense(draw, x):
    return layers.Dense(draw.choice([1, 3, 5, 8, 17, 33]), activation=activation(draw), use_bias=draw.random() < 0.8,
                        kernel_regularizer=regularizer(draw), activity_regularizer=draw.choice([None, None, "l2"]),
                        kernel_constraint=constraint(draw))(x)


def batch_normalization(draw, x):
    return layers.BatchNormalization(momentum=draw.choice([0.9, 0.5]), center=draw.random() < 0.8,
                                     scale=draw.random() < 0.8, synchronized=draw.random() < 0.3)(x)


def residual(draw, x):
    inner = layers.Dense(x.shape[-1], activation=activation(draw))
    x = layers.Add()([x, inner(x)])
    return layers.Average()([x, inner(x)]) if draw.random() < 0.5 else x  # one layer, used twice


def branches(draw, x):
    sides = [layers.Dense(4, activation=activation(draw))(x) for _ in range(2)]
    return draw.choice([layers.Concatenate, layers.Multiply, layers.Maximum, layers.Subtract])()(sides)


def gate(draw, x):
    return x * layers.Dense(x.shape[-1], activation="sigmoid")(x) + 0.5


def noise(draw, x):
    return draw.choice([layers.Dropout(draw.choice([0.1, 0.5]), seed=draw.choice([None, 3])), layers.GaussianDropout(0.2),
                        layers.AlphaDropout(0.2), layers.GaussianNoise(0.3)])(x)


VECTOR_PARTS = (dense, dense, batch_normalization, residual, branches, gate, noise,
                lambda draw, x: layers.LayerNormalization()(x), lambda draw, x: layers.UnitNormalization()(x),
                lambda draw, x: layers.PReLU()(x), lambda draw, x: WithLoss(draw.choice([2, 7]))(x),
                lambda draw, x: layers.GroupNormalization(2 if x.shape[-1] % 2 == 0 else 1)(x))


def convolution(draw, x):
    return layers.Conv2D(draw.choice([1, 3, 8]), draw.choice([1, 3, (2, 3)]) if x.shape[1] > 2 else 1,
                         strides=draw.choice([1, 2]), padding="same" if x.shape[1] < 3 else draw.choice(["same", "valid"]),
                         activation=activation(draw), kernel_regularizer=regularizer(draw),
                         kernel_constraint=constraint(draw))(x)


def pooling(draw, x):
    kind = draw.choice([layers.MaxPooling2D, layers.AveragePooling2D])
    return kind(2, strides=draw.choice([1, 2]), padding="same")(x)


def enlarged(draw, x):
    if x.shape[1] > 6:
        return x
    return draw.choice([layers.UpSampling2D(2, interpolation=draw.choice(["nearest", "bilinear"])),
                        layers.ZeroPadding2D(1)])(x)


IMAGE_PARTS = (convolution, convolution, batch_normalization, pooling, enlarged,
               lambda draw, x: layers.DepthwiseConv2D(2 if x.shape[1] > 2 else 1, depth_multiplier=draw.choice([1, 2]))(x),
               lambda draw, x: layers.SeparableConv2D(3, 2, padding="same", activation="relu")(x),
               lambda draw, x: layers.Conv2DTranspose(draw.choice([1, 4]), draw.choice([2, 3]), strides=draw.choice([1, 2]),
                                                      padding=draw.choice(["same", "valid"]))(x),
               lambda draw, x: layers.SpatialDropout2D(0.3)(x),
               lambda draw, x: layers.LayerNormalization(axis=draw.choice([-1, [1, 2, 3]]))(x))


def recurrent(draw, x):
    kind = draw.choice([layers.LSTM, layers.GRU, layers.SimpleRNN])
    further = {"dropout": draw.choice([0, 0.2]), "recurrent_dropout": draw.choice([0, 0, 0.3]),
               "go_backwards": draw.random() < 0.2}
    return kind(draw.choice([2, 5]), return_sequences=True, **further)(x)


def both_ways(draw, x):
    kind = draw.choice([layers.LSTM, layers.GRU, layers.SimpleRNN])
    return layers.Bidirectional(kind(3, return_sequences=True), merge_mode=draw.choice(["concat", "sum", "ave", "mul"]))(x)


def attention(draw, x):
    if draw.random() < 0.3:
        return layers.Attention(use_scale=True)([x, x])
    return layers.MultiHeadAttention(2, draw.choice([2, 3]), dropout=draw.choice([0, 0.1]))(
        x, x, use_causal_mask=draw.random() < 0.5)


SEQUENCE_PARTS = (recurrent, recurrent, both_ways, attention, lambda draw, x: layers.LayerNormalization()(x),
                  lambda draw, x: layers.TimeDistributed(layers.Dense(4, activation="tanh"))(x),
                  lambda draw, x: layers.SpatialDropout1D(0.3)(x),
                  lambda draw, x: layers.Conv1D(4, 3, padding=draw.choice(["same", "causal"]), activation="relu",
                                                dilation_rate=draw.choice([1, 2]))(x))


def several(draw, parts, most, x):
    for _ in range(draw.randint(1, most)):
        x = draw.choice(parts)(draw, x)
    return x


def image_vector(draw, x):
    ends = [layers.Flatten, layers.GlobalAveragePooling2D, layers.GlobalMaxPooling2D]
    return draw.choice(ends)()(several(draw, IMAGE_PARTS, 3, x))


def sequence_vector(draw, x):
    ends = [lambda: layers.LSTM(3), lambda: layers.GRU(4), layers.GlobalAveragePooling1D, layers.GlobalMaxPooling1D]
    return draw.choice(ends)()(several(draw, SEQUENCE_PARTS, 2, x))


# ---- whole models --------------------------------------------------------------------------------------


def an_input(draw, name):
    """(symbolic input, the vector that is made of it)"""
    kind = draw.choice(["vector", "image", "sequence", "words", "words"])
    if kind == "vector":
        x = keras.Input((draw.choice([1, 3, 10]),), name=name)
        return x, several(draw, VECTOR_PARTS, 4, x)
    if kind == "image":
        size = draw.choice([4, 5, 8])
        x = keras.Input((size, size, draw.choice([1, 3])), name=name)
        return x, image_vector(draw, x)
    if kind == "sequence":
        x = keras.Input((draw.choice([3, 6]), draw.choice([2, 3])), name=name)
        return x, sequence_vector(draw, layers.Masking()(x) if draw.random() < 0.3 else x)
    x = keras.Input((draw.choice([4, 6]),), dtype="int32", name=name)
    embedded = layers.Embedding(WORDS, draw.choice([3, 4]), mask_zero=draw.random() < 0.5,
                                embeddings_regularizer=regularizer(draw), embeddings_constraint=constraint(draw))(x)
    return x, sequence_vector(draw, embedded)


WORDS = 11  # of the vocabulary


class Output:
    """One output of a model, with its loss, its metrics and how labels for it are drawn."""

    def __init__(self, draw, name, features):
        self.kind = draw.choice(["numbers", "numbers", "one_hot", "classes", "yes_or_no"])
        self.width = 1 if self.kind == "yes_or_no" else draw.choice([2, 3, 5])
        logits = draw.random() < 0.5
        squashed = {"numbers": None, "one_hot": "softmax", "classes": "softmax", "yes_or_no": "sigmoid"}[self.kind]
        self.tensor = layers.Dense(self.width, activation=None if logits else squashed, name=name, dtype="float32")(features)
        losses, metrics = keras.losses, keras.metrics
        if self.kind == "numbers":
            self.loss = draw.choice([losses.MeanSquaredError, losses.MeanAbsoluteError, losses.Huber, losses.LogCosh,
                                     losses.CosineSimilarity])()
            self.metrics = draw.choice([[], ["mae"], [metrics.RootMeanSquaredError(), metrics.R2Score()],
                                        [metrics.CosineSimilarity(), metrics.MeanAbsolutePercentageError()]])
        elif self.kind == "one_hot":
            self.loss = draw.choice([losses.CategoricalCrossentropy(from_logits=logits, label_smoothing=draw.choice([0, 0.1])),
                                     losses.CategoricalFocalCrossentropy(from_logits=logits)])
            self.metrics = draw.choice([[], ["accuracy"], [metrics.TopKCategoricalAccuracy(2), "accuracy"],
                                        [metrics.F1Score()]])
        elif self.kind == "classes":
            self.loss = losses.SparseCategoricalCrossentropy(from_logits=logits)
            self.metrics = draw.choice([[], ["accuracy"], [metrics.SparseTopKCategoricalAccuracy(2),
                                                           metrics.SparseCategoricalCrossentropy(from_logits=logits)]])
        else:
            self.loss = draw.choice([losses.BinaryCrossentropy, losses.BinaryFocalCrossentropy])(from_logits=logits)
            of_probabilities = [[metrics.AUC(), metrics.Precision(), metrics.Recall()],
                                [metrics.TruePositives(), metrics.FalseNegatives()]]
            self.metrics = draw.choice([[], ["accuracy"], [metrics.BinaryAccuracy(threshold=0.0)]]
                                       + ([] if logits else of_probabilities))

    def labels(self, numbers, count):
        if self.kind == "numbers":
            return numbers.randn(count, self.width).astype("float32")
        if self.kind == "one_hot":
            return np.eye(self.width, dtype="float32")[numbers.randint(0, self.width, count)]
        if self.kind == "classes":
            return numbers.randint(0, self.width, count).astype("int32")
        return numbers.randint(0, 2, (count, 1)).astype("float32")


def optimizer(draw):
    kinds, schedules = keras.optimizers, keras.optimizers.schedules
    further = {"learning_rate": draw.choice([
        0.01, 0.05, schedules.ExponentialDecay(0.05, 3, 0.8), schedules.CosineDecay(0.05, 10, warmup_target=0.1, warmup_steps=3),
        schedules.PiecewiseConstantDecay([3, 6], [0.1, 0.05, 0.01]), schedules.PolynomialDecay(0.05, 7)])}
    further.update(draw.choice([{}, {}, {}, {"clipnorm": 0.3}, {"clipvalue": 0.05}, {"global_clipnorm": 0.5}]))
    if draw.random() < 0.25:
        further.update(use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=draw.choice([None, 3]))
    if draw.random() < 0.25:
        further.update(weight_decay=0.01)
    if draw.random() < 0.2:
        further.update(gradient_accumulation_steps=draw.choice([2, 3]))
    kind, more = draw.choice([
        (kinds.SGD, {}), (kinds.SGD, {"momentum": 0.9}), (kinds.SGD, {"momentum": 0.9, "nesterov": True}), (kinds.Adam, {}),
        (kinds.Adam, {"amsgrad": True}), (kinds.AdamW, {}), (kinds.RMSprop, {}), (kinds.RMSprop, {"centered": True}),
        (kinds.Adagrad, {}), (kinds.Adadelta, {}), (kinds.Adamax, {}), (kinds.Nadam, {}), (kinds.Ftrl, {}), (kinds.Lion, {}),
        (kinds.Adafactor, {}), (kinds.Lamb, {})])
    return kind(**further, **more)


class Program:
    """What is drawn from a seed, and a model in the scope of a strategy."""

    def __init__(self, seed, strategy):
        draw = random.Random(seed)
        keras.backend.clear_session()
        keras.utils.set_random_seed(seed % 7 + 1)
        self.seed = seed
        self.numbers = np.random.RandomState(seed)
        keras.mixed_precision.set_global_policy(draw.choice(["float32"] * 5 + ["mixed_bfloat16", "mixed_float16"]))
        try:
            with strategy.scope():
                self.build(draw)
        finally:
            keras.mixed_precision.set_global_policy("float32")
        self.plan_fit(draw)
        self.fit["callbacks"] = self.callbacks(random.Random(f"callbacks of {seed}"))

    def callbacks(self, draw):
        kinds, chosen = keras.callbacks, []
        monitor = "val_loss" if {"validation_split", "validation_data"} & set(self.fit) else "loss"
        if draw.random() < 0.3:
            chosen.append(kinds.EarlyStopping(monitor, draw.choice([0, 0.1]), 1, restore_best_weights=draw.random() < 0.5))
        if isinstance(self.model.optimizer.get_config().get("learning_rate"), float):
            chosen += draw.choice([
                [], [], [kinds.ReduceLROnPlateau("loss", 0.5, 1, min_delta=draw.choice([0.05, 0.5]))], [Halving(draw.choice([2, 3]))],
                [kinds.LearningRateScheduler(lambda epoch, rate: rate * 0.9)]])
        return chosen

    def build(self, draw):
        inputs, vectors = zip(*(an_input(draw, f"in{i}") for i in range(draw.choice([1, 1, 1, 2]))))
        features = vectors[0] if len(vectors) == 1 else layers.Concatenate()(list(vectors))
        if draw.random() < 0.6:
            features = several(draw, VECTOR_PARTS, 3, features)
        self.outputs = [Output(draw, f"out{i}", features) for i in range(draw.choice([1, 1, 1, 2]))]
        own_step = draw.random() < 0.15 and len(self.outputs) == 1
        kind = OwnTrainStep if own_step else keras.Model
        self.model = kind(alone(inputs), alone([output.tensor for output in self.outputs]))
        self.inputs = [(tuple(each.shape[1:]), each.dtype) for each in inputs]
        measured = draw.choice(["metrics", "metrics", "metrics", "weighted_metrics"])
        self.model.compile(optimizer(draw), alone([output.loss for output in self.outputs]),
                           run_eagerly=draw.random() < 0.05, steps_per_execution=draw.choice([1, 1, 1, 2, 3]),
                           **{measured: alone([output.metrics for output in self.outputs])})

    def examples(self, count):
        """(inputs, labels), lists of arrays."""
        def values(shape, dtype):
            if "int" in str(dtype):
                return self.numbers.randint(0, WORDS, (count, *shape)).astype("int32")
            drawn = self.numbers.randn(count, *shape).astype("float32")
            if len(shape) == 2:  # a sequence: some of its steps are masked
                drawn[self.numbers.rand(count, shape[0]) < 0.2] = 0
            return drawn
        return ([values(*each) for each in self.inputs], [output.labels(self.numbers, count) for output in self.outputs])

    def plan_fit(self, draw):
        batch = draw.choice([1, 2, 3, 5, 7, 8, 11, 13, 16])
        count = draw.choice([5, 9]) if batch < 3 else draw.choice([13, 17, 24, 29, 37])
        x, y = self.examples(count)
        self.held_out = self.examples(draw.choice([5, 8, 11]))
        self.fit = {"epochs": draw.choice([1, 2, 3]), "verbose": 0}
        weights = self.numbers.rand(count).astype("float32")
        weighted = draw.random() < 0.25 and len(y) == 1
        validated = draw.random() < 0.4
        if draw.random() < 0.4:
            self.fit.update(x=alone(x), y=alone(y), batch_size=batch, shuffle=draw.random() < 0.7)
            if weighted:
                self.fit.update(sample_weight=weights)
            if validated:
                self.fit.update(draw.choice([{"validation_split": 0.2}, {"validation_data": tuple(map(alone, self.held_out))}]))
            return
        elements = (bundle(x), bundle(y)) + ((weights,) if weighted else ())
        self.fit.update(x=self.dataset(draw, elements, batch))
        if draw.random() < 0.2:
            self.fit.update(x=self.fit["x"].repeat(), steps_per_epoch=draw.choice([2, 4]))
        if validated:
            self.fit.update(validation_data=tf.data.Dataset.from_tensor_slices(tuple(map(bundle, self.held_out))).batch(4))

    def dataset(self, draw, elements, batch):
        made = tf.data.Dataset.from_tensor_slices(elements)
        count = len(elements[0][0]) if isinstance(elements[0], tuple) else len(elements[0])
        kind = draw.choice(["plain", "generated", "shuffled", "noisy"])
        if kind == "generated":
            signature = tf.nest.map_structure(lambda each: tf.TensorSpec(each.shape[1:], each.dtype), elements)
            made = tf.data.Dataset.from_generator(
                lambda: (tf.nest.map_structure(lambda each: each[i], elements) for i in range(count)),
                output_signature=signature)
        if kind == "shuffled":
            made = made.shuffle(draw.choice([4, 100]), seed=draw.choice([None, 5]))
        if kind == "noisy":
            def noisy(x, *others):
                x = tf.nest.map_structure(
                    lambda each: each + 0.1 * tf.random.normal(tf.shape(each)) if each.dtype == tf.float32 else each, x)
                return (x, *others)
            made = made.map(noisy, num_parallel_calls=draw.choice([None, 4]))
        made = made.batch(batch, drop_remainder=draw.random() < 0.2 and batch <= count)
        return made.prefetch(2) if draw.random() < 0.3 else made


def alone(listed):
    """The one thing of a list of one, as Keras wants it."""
    return listed[0] if len(listed) == 1 else list(listed)


def bundle(arrays):
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def train_to(epoch, seed, strategy, folder):
    """The history, arrays by name, of a training that is interrupted when `epoch` begins, and keeps its saves in `folder`; None
    where it is over before."""
    program, seen = Program(seed, strategy), keras.callbacks.History()
    program.fit["callbacks"] += [keras.callbacks.BackupAndRestore(folder, delete_checkpoint=False), seen, Interrupt(epoch)]
    try:
        program.model.fit(**program.fit)
    except Interrupted:
        return {f"history {name}": np.asarray(values) for name, values in seen.history.items()}
    return None


def train(seed, strategy, callbacks=()):
    """All that the program of `seed` leaves behind under `strategy`: arrays by name."""
    program = Program(seed, strategy)
    model, left = program.model, {}
    program.fit["callbacks"] += callbacks
    history = model.fit(**program.fit)
    for name, values in history.history.items():
        left[f"history {name}"] = np.asarray(values)
    for kind, variables in (("weight", model.weights), ("optimizer", model.optimizer.variables)):
        for number, variable in enumerate(variables):
            left[f"{kind} {number} {variable.path}"] = np.asarray(variable.numpy())
    x, y = program.held_out
    predicted = model.predict(alone(x), batch_size=3, verbose=0)
    for number, values in enumerate(predicted if isinstance(predicted, list) else [predicted]):
        left[f"predicted {number}"] = np.asarray(values)
    for name, value in model.evaluate(alone(x), alone(y), batch_size=4, verbose=0, return_dict=True).items():
        left[f"evaluated {name}"] = np.asarray(value)
    return left
