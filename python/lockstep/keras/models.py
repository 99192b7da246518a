"""Models: layers in a row, graphs of layers, and models of one's own."""

import os
import weakref

from .. import _native, _refused, errors, nest, ops_array
from .._damage import no_damage, reading
from .._tensor import Tensor, convert_to_tensor
from .._variable import Variable
from .._whole_files import write_whole
from ..sparse import SparseTensor, to_dense
from . import _file_places, _fit_arguments, _input_spec, _masks, _state_tree, _symbol_parts
from ._cloning import clone_model  # noqa: F401
from ._context import known_sizes, shown_sizes
from ._layer import is_of_package, Layer
from ._names import auto_name, native_name
from ._operation import OperationLayer
from ._own_inputs import with_own_inputs
from ._own_state import batches_of
from ._policy import numbers_in
from ._symbols import KerasTensor, Node, has_symbols, infer
from ._training import Trainer
from .layers import InputLayer


class Model(Trainer, Layer):
    """Layers with what is needed to train them: `Model(inputs, outputs)`, or a class of one's own with
    layers as attributes and `call(inputs, training)`."""

    _notes_arguments = False
    _passes_masks = True

    def compute_mask(self, inputs, previous_mask=None):
        """The outputs have the masks that the layers gave them."""
        return None

    def __new__(cls, *args, **kwargs):
        if cls is Model and (len(args) == 2 or _is_functional(args, kwargs)):
            return Layer.__new__(Functional)
        return Layer.__new__(cls, *args, **kwargs)

    def __init__(self, *args, **kwargs):
        if _is_functional(args, kwargs) and not isinstance(self, Functional):
            self.__class__ = _functional_class(type(self))  # a class of one's own over inputs and outputs
            Functional.__init__(self, *args, **kwargs)
            return
        Trainer.__init__(self)
        Layer.__init__(self, *args, **kwargs)
        self._note_scope()

    def _ready(self):
        Layer._ready(self)

    @property
    def layers(self):
        """The layers of the model, in their order."""
        return [one for one in self._children if not isinstance(one, OperationLayer)]

    @layers.setter
    def layers(self, _):
        raise AttributeError("`Model.layers` attribute is reserved and should not be used. Please use "
                             "another name.")

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model of `get_config`."""
        if "input_layers" in config:
            return _functional_from(cls, config, custom_objects)
        return super().from_config(config)

    def get_layer(self, name=None, index=None):
        """The layer of a name or a number. Raises: ValueError."""
        if index is not None and name is not None:
            raise ValueError(f"Provide only a layer name or a layer index. Received: index={index}, name={name}.")
        if index is not None:
            if len(self.layers) <= index:
                raise ValueError(f"Was asked to retrieve layer at index {index} but model only has "
                                 f"{len(self.layers)} layers.")
            return self.layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for one in self.layers:
            if one.name == name:
                return one
        raise ValueError(f"No such layer: {name}. Existing layers are: "
                         f"{[one.name for one in self.layers]}.")

    def build(self, input_shape=None):
        """Makes the weights for inputs of a shape."""
        called_by_own = not is_of_package(type(self).build)  # as `super().build`
        if called_by_own or input_shape is None or isinstance(input_shape, str):
            object.__setattr__(self, "built", True)
            return
        shapes = input_shape if isinstance(input_shape, (list, dict)) and input_shape and isinstance(
            (list(input_shape.values()) if isinstance(input_shape, dict) else input_shape)[0],
            (list, tuple)) else [tuple(input_shape)]
        symbols = [KerasTensor(one, self._dtype) for one in (
            shapes.values() if isinstance(shapes, dict) else shapes)]
        infer(lambda tensors: self(dict(zip(shapes, tensors)) if isinstance(shapes, dict) else
                                   tensors[0] if len(tensors) == 1 else list(tensors)), symbols)
        object.__setattr__(self, "built", True)

    def _build_for(self, args, kwargs):
        build = type(self).build
        if build not in (Model.build, Sequential.build, Functional.build):
            super()._build_for(args, kwargs)
        elif type(self) not in (Sequential, Functional) and len(args) == 1:
            object.__setattr__(self, "_built_for", batches_of(args[0]))
        object.__setattr__(self, "built", True)

    def summary(self, line_length=None, positions=None, print_fn=None, expand_nested=False,
                show_trainable=False, layer_range=None):
        """Prints a table of layers, output shapes and parameters."""
        from ._summary import summary
        text = summary(self, line_length, positions, expand_nested, show_trainable, layer_range)
        if print_fn is not None:
            print_fn(text)
        else:
            print(text)

    def get_state_tree(self, value_format="backend_tensor"):
        """All variables of the model, its optimizer and its metrics, in dicts by the parts of their paths.

        Args: value_format: "backend_tensor" or "numpy_array".
        Raises: ValueError for another format, or two variables of one path."""
        return _state_tree.state_tree(self, value_format)

    def set_state_tree(self, state_tree):
        """Assigns what `get_state_tree` has given. Raises: ValueError for a kind of variables that there is not."""
        _state_tree.assign_state_tree(self, state_tree)

    def to_json(self, **kwargs):
        """The layers, and how the model is compiled, as JSON."""
        import json
        from . import saving
        config = saving.serialize_keras_object(self)
        if self.compiled:
            config["compile_config"] = self.get_compile_config()
        return json.dumps(config, **kwargs)

    def save(self, filepath, overwrite=True, **kwargs):
        """Writes the model to a `.keras` file, which Keras reads, too. Raises: as `keras.saving.save_model`."""
        from . import saving
        saving.save_model(self, filepath, overwrite, **kwargs)

    def get_compile_config(self):
        """What `compile_from_config` takes."""
        from . import saving
        config = {"optimizer": self.optimizer, "loss": self.loss, "loss_weights": self._loss_weights,
                  "metrics": self._metrics_given, "weighted_metrics": self._weighted_given,
                  "run_eagerly": bool(self.run_eagerly), "steps_per_execution": self.steps_per_execution, "jit_compile": False}
        return saving.serialize_keras_object(config)

    def compile_from_config(self, config):
        """Compiles as `get_compile_config` has described."""
        from . import saving
        made = {key: saving.deserialize_keras_object(one) for key, one in config.items()
                if key != "jit_compile"}
        self.compile(**made)

    def save_weights(self, filepath, overwrite=True):
        """Writes the weights: as Keras to .weights.h5, else to .safetensors or .npz.

        Raises: ValueError for another name; ImportError for .h5 without the package h5py."""
        _refused.only("Model.save_weights", overwrite=(overwrite, True))
        path = str(filepath)
        _fit_arguments.require_saved_name(filepath)
        if not self.built:
            raise ValueError("You are saving a model that has not yet been built. Try building the model first by calling it on "
                             "some data or by using `build()`.")
        if path.endswith(".h5"):
            import io

            from . import saving
            weights = io.BytesIO()
            saving.write_h5(self, weights)
            write_whole(path, weights.getvalue())
        else:
            self._bridge().save_weights(path)

    def load_weights(self, filepath, skip_mismatch=False, **kwargs):
        """Reads the weights of a file that `save_weights` or, for .h5 and .keras, Keras has written, or of a checkpoint.

        Raises: ValueError for layers that do not fit, and names of other formats; FileNotFoundError."""
        path = str(filepath)
        unknown = {key: one for key, one in kwargs.items() if key != "by_name"}
        if unknown:
            raise ValueError(f"Invalid keyword arguments: {unknown}")
        _fit_arguments.require_loaded_name(filepath, kwargs.get("by_name"))
        from . import saving
        if path.endswith(".keras"):
            with saving.ModelArchive(path) as archive, archive.weights(saving.places_bytes(_file_places.places_of(self))) as weights:
                saving.read_h5(self, weights, skip_mismatch, path)
        elif path.endswith((".h5", ".hdf5")):
            by_name = bool(kwargs.get("by_name"))
            if not path.endswith(".weights.h5") and (by_name or saving._legacy_h5.is_legacy(path)):
                saving._legacy_h5.load_weights(self, path, skip_mismatch, by_name)
            else:
                saving.read_h5(self, path, skip_mismatch)
        else:
            self._load_plain_weights(path)

    def _load_plain_weights(self, path):
        """Reads .npz, .safetensors or a checkpoint. Raises: ValueError where it does not fit the model; DamagedFileError."""
        with reading(path):
            try:
                self._bridge().load_weights(path)
            except errors.FailedPreconditionError as error:  # the file is of another model
                raise no_damage(errors.InvalidArgumentError(None, None, f"{error.message} ({path})")) from None

    def weights_digest(self):
        """A digest of all weights; equal for equal bits."""
        return self._bridge().weights_digest()

    def state_digest(self):
        """A digest of weights, slots and counters."""
        return self._bridge().state_digest()

    def export(self, filepath, format="tf_saved_model", verbose=None, input_signature=None, **kwargs):
        """Writes the model for inference: a SavedModel with the function `serve` and the signature `serving_default`, or an ONNX file
        (`format="onnx"`). Args: input_signature: the specs of the model's arguments, where it has not been called.
        Raises: ValueError for a model that is not built and for other formats; NotImplementedError naming an op that is not written."""
        _refused.no_more("export", kwargs)
        if format not in ("tf_saved_model", "onnx"):
            raise ValueError(f"Unrecognized format={format}. Supported formats are: ('tf_saved_model', 'onnx'); 'openvino', 'litert' and "
                             "'torch' are not built.")
        if format == "onnx":
            from .. import onnx
            onnx.export(self, os.fspath(filepath), input_signature)
            return
        from ._export import export_saved_model
        export_saved_model(self, filepath, verbose, input_signature)

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _as_given(one):
    """Variables and arrays as tensors of their dtype, everything else as it is."""
    if isinstance(one, Variable):
        return one.value()
    if _symbol_parts.is_value(one):
        return one
    return convert_to_tensor(one) if hasattr(one, "__array__") and not isinstance(one, Tensor) else one


def _with_rank_of(symbol, value):
    """The value with a last axis of size 1 added or taken away, where it has then as many axes as the symbol."""
    if not isinstance(value, Tensor) or value._rank is None:
        return value
    rank = len(symbol.shape)
    if value._rank == rank - 1 and symbol.shape[-1] == 1:
        made = _native.expand_dims(value, -1)
    elif value._rank == rank + 1 and value._shape[-1] == 1:
        made = ops_array.squeeze(value, -1)
    else:
        return value
    _masks.set_mask(made, _masks.mask_of(value))
    return made


def _of_kind(symbol, value):
    """A sparse tensor with the sizes that are known of its symbol, or as a dense tensor for a symbol of dense ones; any other value
    as it is."""
    if not isinstance(value, SparseTensor):
        return value
    if not symbol.sparse:
        return to_dense(value, validate_indices=False)
    sizes = (None, *symbol.shape[1:])
    if None not in _symbol_parts.sizes_of(value)[1:] or value.shape.rank != len(sizes):
        return value
    value = value.with_values(value.values)
    value.set_shape(sizes)
    return value


def _shapes_of(form):
    """The shape of a symbol, or those of all in a structure, as a list."""
    return [one.shape for one in nest.flatten(form)] if nest.is_nested(form) else form.shape


def _is_functional(args, kwargs):
    """Whether a model is made of inputs and outputs."""
    if "outputs" in kwargs and ("inputs" in kwargs or args):
        return True
    return len(args) >= 2 and has_symbols(args[0])


_functional_classes = {}


def _functional_class(cls):
    made = _functional_classes.get(cls)
    if made is None:
        made = _functional_classes[cls] = type(cls.__name__, (cls, Functional), {
            "_user_class": cls, "__module__": cls.__module__, "__qualname__": cls.__qualname__})
    return made


class Functional(Model):
    """The model that computes outputs from inputs by the layers between them."""

    def __init__(self, inputs, outputs, name=None, trainable=True, **kwargs):
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")
        super().__init__(name=name, trainable=trainable)
        for place, ends in (("inputs", inputs), ("outputs", outputs)):
            for one in nest.flatten(ends):
                if not isinstance(one, KerasTensor):
                    raise ValueError(f"All `{place}` values must be KerasTensors. Received: {place}={ends} including invalid value "
                                     f"{one} of type {type(one)}")
        inputs, outputs = with_own_inputs(inputs, outputs)
        set_ = object.__setattr__
        set_(self, "_inputs_form", inputs)
        set_(self, "_outputs_form", outputs)
        set_(self, "inputs", nest.flatten(inputs))
        set_(self, "outputs", nest.flatten(outputs))
        nodes, layers = [], []
        known = {id(one) for one in self.inputs}
        visited = set()

        def visit(tensor):
            node = tensor._node
            if id(tensor) in known and isinstance(node.layer, InputLayer):
                if all(node.layer is not one for one in layers):
                    layers.append(node.layer)
                return
            if id(tensor) in known or node is None or id(node) in visited:
                return
            if isinstance(node.layer, InputLayer):
                raise ValueError(f"`inputs` not connected to `outputs`: the output needs {node.layer.name}, "
                                 "which is not among the inputs")
            visited.add(id(node))
            for one in node.inputs:
                visit(one)
            nodes.append(node)
            if all(node.layer is not one for one in layers):
                layers.append(node.layer)
        for one in self.outputs:
            visit(one)
        for one in self.inputs:
            if isinstance(one._node.layer, InputLayer) and all(
                    one._node.layer is not layer for layer in layers):
                layers.insert(0, one._node.layer)
        set_(self, "_nodes", nodes)
        set_(self, "_graph", self._in_order_of_depth(layers))
        for one in self._graph:
            self._track(one)
        object.__setattr__(self, "built", True)

    @property
    def operations(self):
        """The layers and the functions of tensors between them, in their order."""
        return list(self._graph)

    @property
    def layers(self):
        """The layers of the graph; layers that are attributes of a class of one's own are not among them."""
        return [one for one in self._graph if not isinstance(one, OperationLayer)]

    @layers.setter
    def layers(self, value):
        Model.layers.fset(self, value)

    def _in_order_of_depth(self, layers):
        """Keras's order of layers, and so of weights: the farthest from the outputs first, those of one depth
        as they are met on the way from the outputs."""
        depth, met, seen = {}, {}, set()
        makers = {id(one): node for node in self._nodes for one in nest.flatten(node.outputs)}
        for one in self.inputs:
            makers[id(one)] = one._node

        def meet(tensor):
            node = makers[id(tensor)]
            if id(node) in seen:
                return
            seen.add(id(node))
            met.setdefault(id(node.layer), len(met))
            for one in node.inputs if node in self._nodes else ():
                meet(one)
        for one in self.outputs:
            meet(one)
        for node in reversed(self._nodes):  # each before those that it reads from
            own = depth.setdefault(id(node.layer), 0)
            for one in node.inputs:
                before = id(makers[id(one)].layer)
                depth[before] = max(depth.get(before, 0), own + 1)
        return sorted(layers, key=lambda one: (-depth.get(id(one), 0), met.get(id(one), -1)))

    @property
    def output_names(self):
        """Names by which `compile` and `fit` know the outputs: of the layers that make them."""
        if isinstance(self._outputs_form, dict) and not any(map(nest.is_nested, self._outputs_form.values())):
            return sorted(self._outputs_form)
        return [one._node.layer.name for one in self.outputs]

    @property
    def input_names(self):
        return [one._node.layer.name for one in self.inputs]

    @property
    def input(self):
        return self.inputs[0] if len(self.inputs) == 1 else self._inputs_form

    @property
    def output(self):
        return self.outputs[0] if len(self.outputs) == 1 else self._outputs_form

    input_shape = property(lambda self: _shapes_of(self._inputs_form))
    output_shape = property(lambda self: _shapes_of(self._outputs_form))

    def _cast_input(self, one):
        return _as_given(one)

    def call(self, inputs, training=None, mask=None):
        if isinstance(self._inputs_form, dict) and isinstance(inputs, dict):
            given = [_input_spec.of_name(inputs, key, sorted(self._inputs_form)) for key in sorted(self._inputs_form)]
        elif isinstance(inputs, dict):
            given = [_input_spec.of_name(inputs, one, self.input_names) for one in self.input_names]
        else:
            given = nest.flatten(inputs)
        if len(given) != len(self.inputs):
            raise ValueError(_input_spec.wrong_count(self.name, self.input_names, len(given)))
        values = {}
        for place, (symbol, value) in enumerate(zip(self.inputs, given)):
            value = _of_kind(symbol, _with_rank_of(symbol, value))
            own = _symbol_parts.sizes_of(value)
            is_tensor = isinstance(value, Tensor) or _symbol_parts.is_value(value)
            if is_tensor and (len(own) != len(symbol.shape) or any(
                    a is not None and b is not None and a != b
                    for a, b in zip(symbol.shape[1:], own[1:]))):  # batches may have any size
                raise ValueError(_input_spec.incompatible(
                    place, symbol._node.layer.name, self.name, f"expected shape={symbol.shape}, found shape={known_sizes(value)}"))
            values[id(symbol)] = numbers_in(value, symbol._dtype_of) if is_tensor else value
        for symbol, own in zip(self.inputs, nest.flatten(mask) if mask is not None else []):
            _masks.set_mask(values[id(symbol)], own)
        for node in self._nodes:
            args, kwargs = nest._pack((node.args, node.kwargs), iter([
                values[id(one)] if isinstance(one, KerasTensor) else one
                for one in nest.flatten((node.args, node.kwargs))]))
            if training is not None and "training" in node.layer._call_parameters():
                kwargs = {**kwargs, "training": training}  # Keras's rule: what this call says goes before what a layer was given
            outputs = node.layer(*args, **kwargs)
            for symbol, value in zip(nest.flatten(node.outputs), nest.flatten(outputs)):
                values[id(symbol)] = value
        return nest._pack(self._outputs_form, iter([values[id(one)] for one in self.outputs]))

    def build(self, input_shape=None):
        object.__setattr__(self, "built", True)

    def _places(self):
        """{id of a symbolic tensor: (layer's name, number of its call, number of its output)}"""
        calls, made = {}, {}
        for node in self._nodes:
            number = calls.get(id(node.layer), 0)
            calls[id(node.layer)] = number + 1
            for index, one in enumerate(nest.flatten(node.outputs)):
                made[id(one)] = [node.layer.name, number, index]
        for one in self.inputs:
            made[id(one)] = [one._node.layer.name, 0, 0]
        return made

    def get_config(self):
        """Keras's: the layers with the calls that connect them."""
        from . import saving
        if "_user_class" in vars(type(self)) and type(self)._user_class.__init__ is not Model.__init__:
            return super().get_config()
        places = self._places()

        def tensor(one):
            return {"class_name": "__keras_tensor__", "config": {
                "shape": list(one.shape), "dtype": one.dtype, "keras_history": places[id(one)]}}
        layers = []
        for layer in self.operations:
            config = saving.serialize_keras_object(layer)
            config["name"] = layer.name
            config["inbound_nodes"] = [{
                "args": list(saving.configured(tensor, node.args)),
                "kwargs": saving.configured(tensor, node.kwargs)}
                for node in self._nodes if node.layer is layer]
            layers.append(config)
        return {"name": self.name, "trainable": self.trainable, "layers": layers,
                "input_layers": nest.map_structure(lambda one: places[id(one)], self._inputs_form),
                "output_layers": nest.map_structure(lambda one: places[id(one)], self._outputs_form)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model of `get_config`. Raises: ValueError for calls whose inputs never come."""
        if "layers" not in config:
            return cls(**config)
        return _functional_from(cls, config, custom_objects)


def _functional_from(cls, config, custom_objects):
    from . import saving
    layers = {one["name"]: saving.deserialize_keras_object(one, custom_objects) for one in config["layers"]}
    values = {}

    def find(history):
        return values.get((history[0], history[1], history[2]))

    def given(value):
        if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
            return find(value["config"]["keras_history"])
        if isinstance(value, dict) and "class_name" not in value:
            return {key: given(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(given(one) for one in value)
        return saving.deserialize_keras_object(value, custom_objects)

    def ready(value):
        if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
            return find(value["config"]["keras_history"]) is not None
        if isinstance(value, (dict, list, tuple)):
            return all(ready(one) for one in (value.values() if isinstance(value, dict) else value))
        return True
    todo = []
    for one in config["layers"]:
        if isinstance(layers[one["name"]], InputLayer):
            values[one["name"], 0, 0] = layers[one["name"]].output
        todo.extend((one["name"], number, node) for number, node in enumerate(one["inbound_nodes"]))
    while todo:
        left = []
        for name, number, node in todo:
            if not ready([node["args"], node["kwargs"]]) or any(
                    other == name and before < number for other, before, _ in left):
                left.append((name, number, node))
                continue
            outputs = layers[name](*given(node["args"]), **{
                key: given(one) for key, one in node["kwargs"].items() if one is not None})
            for index, one in enumerate(nest.flatten(outputs)):
                values[name, number, index] = one
        if len(left) == len(todo):
            raise ValueError(f"[load] a call's inputs are made by no other call; got the layer {left[0][0]}")
        todo = left

    def ends(form):
        if isinstance(form, dict):
            return {key: ends(one) for key, one in form.items()}
        if len(form) == 3 and isinstance(form[0], str) and isinstance(form[1], int):
            return find(form)
        return [ends(one) for one in form]
    inputs, outputs = ends(config["input_layers"]), ends(config["output_layers"])
    made = cls if cls is not Functional else Model
    return made(inputs, outputs, name=config.get("name"), trainable=config.get("trainable", True))


class Sequential(Model):
    """Layers one after another."""

    def __init__(self, layers=None, trainable=True, name=None):
        super().__init__(trainable=trainable, name=name)
        object.__setattr__(self, "_stack", [])
        object.__setattr__(self, "_input_symbol", None)
        for one in layers or []:
            self.add(one, rebuild=False)
        self._rebuild()

    def add(self, layer, rebuild=True):
        """Puts a layer behind the others. Raises: ValueError for what is no layer."""
        if isinstance(layer, KerasTensor):
            layer = layer._node.layer
        if not isinstance(layer, Layer):
            if callable(layer):
                from .layers import Lambda
                layer = Lambda(layer)
            else:
                raise ValueError("Only instances of `keras.Layer` can be added to a Sequential model. "
                                 f"Received: {layer} (of type {type(layer)})")
        if any(layer.name == one.name for one in self._stack):
            raise ValueError("All layers added to a Sequential model should have unique names. Name "
                             f"'{layer.name}' is already the name of a layer in this model. Update the "
                             "`name` argument to pass a unique name.")
        if isinstance(layer, InputLayer):
            if self._stack:
                raise ValueError("Sequential model '" + self.name + "' has already been configured to use "
                                 "input shape")
            object.__setattr__(self, "_input_symbol", layer.output)
            self._track(layer)
            return
        if layer._batch_input_shape is not None and self._input_symbol is None and not self._stack:
            object.__setattr__(self, "_input_symbol",
                               InputLayer(batch_shape=layer._batch_input_shape).output)
        self._stack.append(layer)
        object.__setattr__(layer, "_row", weakref.ref(self))
        self._track(layer)
        if rebuild:
            self._rebuild()

    def pop(self, rebuild=True):
        """Takes the last layer away; with `rebuild` the model is built of the others."""
        layer = self._stack.pop()
        self._children[:] = [one for one in self._children if one is not layer]
        object.__setattr__(self, "built", False)
        if rebuild:
            self._rebuild()
        return layer

    @property
    def layers(self):
        return list(self._stack)

    def _rebuild(self):
        if self._input_symbol is not None and self._stack:
            from ._context import _Inside
            auto_name("functional")  # Keras makes one anew, so the next has another number
            with _Inside(self):
                self._follow(self._input_symbol)
            object.__setattr__(self, "built", True)

    def _follow(self, symbol):
        """Builds all layers for inputs like a symbol, and notes their output shapes."""
        seen = []

        def run(tensors):
            seen.clear()
            value = tensors[0]
            for one in self._stack:
                value = one(value)
                seen.append((one, nest.map_structure(known_sizes, value)))
            return value
        output = infer(run, [symbol])
        self._clear_losses()
        for one, shape in seen:
            object.__setattr__(one, "_last_output_shape", shape)
            object.__setattr__(one, "built", True)
        object.__setattr__(self, "_output_symbol", output)

    def build(self, input_shape=None):
        if input_shape is None:
            return
        if self._input_symbol is None:
            self._take_input(tuple(input_shape), self._dtype)
        self._rebuild()

    def _take_input(self, shape, dtype, sparse=False, ragged=False, **_):
        """Notes of which shape, dtype and kind the inputs are, as an `InputLayer` would."""
        object.__setattr__(self, "_input_symbol", InputLayer(
            batch_shape=shape, dtype=self._first_dtype(dtype), sparse=sparse, ragged=ragged).output)

    def _build_for(self, args, kwargs):
        super()._build_for(args, kwargs)
        if self._input_symbol is None and len(args) == 1 and (isinstance(args[0], Tensor) or _symbol_parts.is_value(args[0])):
            self._take_input(shown_sizes(args[0]), args[0].dtype, **_symbol_parts.kind_of(args[0]))
            auto_name("functional")

    def _first_dtype(self, given):
        """In which inputs come to the first layer: its own, or what is given to one that takes any."""
        first = self._stack[0] if self._stack else None
        return given if first is None or first._takes_any else first._compute_dtype

    def _cast_input(self, one):
        one = _as_given(one)
        if not isinstance(one, Tensor) and not _symbol_parts.is_value(one) or not self._stack:
            return one
        symbol = self._input_symbol
        return numbers_in(one, self._first_dtype(one.dtype) if symbol is None else symbol._dtype_of)

    def call(self, inputs, training=None, mask=None):
        symbol = self._input_symbol
        value = inputs if symbol is None else _of_kind(symbol, _with_rank_of(symbol, inputs))
        if self._stack and (isinstance(value, Tensor) or _symbol_parts.is_value(value)):
            try:
                _input_spec.check(self._stack[0], value)
            except ValueError as error:
                raise ValueError(f"Exception encountered when calling Sequential.call().\n\n\033[1m{error}\033[0m\n\n"
                                 f"Arguments received by Sequential.call():\n  • inputs=tf.Tensor(shape={known_sizes(value)}, "
                                 f"dtype={value.dtype.name})") from None
        if mask is not None:
            _masks.set_mask(value, mask)
        for one in self._stack:
            value = one(value)
        return value

    @property
    def inputs(self):
        if self._input_symbol is None:
            raise AttributeError(f"Sequential model '{self.name}' has no defined inputs yet.")
        return self._functional().inputs

    @property
    def input_shape(self):
        """Raises: AttributeError before the shape is known."""
        return self._functional().input_shape

    @property
    def output_shape(self):
        """Raises: AttributeError before the shape of inputs is known."""
        if self._input_symbol is None:
            raise AttributeError(f"Sequential model '{self.name}' has no defined output shape yet.")
        return self._functional().output_shape

    @property
    def input(self):
        """Where it was called on symbols first, otherwise its own."""
        return Layer.input.fget(self) if self._inbound else self._functional()._inputs_form

    @property
    def output(self):
        unknown = self._inbound or self._input_symbol is None
        return Layer.output.fget(self) if unknown else self._functional()._outputs_form

    @property
    def outputs(self):
        if self._input_symbol is None:
            raise AttributeError(f"Sequential model '{self.name}' has no defined outputs yet.")
        return [self._functional()._outputs_form]

    def get_config(self):
        """Keras's: the layers in a row."""
        from . import saving
        layers = list(self._stack)
        symbol = self._input_symbol
        if symbol is not None:
            layers.insert(0, symbol._node.layer)
        config = {"name": self.name, "trainable": self.trainable,
                  "dtype": saving.policy(self._policy.name),
                  "layers": [saving.serialize_keras_object(one) for one in layers]}
        if symbol is not None:
            config["build_input_shape"] = tuple(symbol.shape)
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model of `get_config`."""
        from . import saving
        if "layers" not in config:
            return cls(**config)
        made = cls(name=config.get("name"))  # its layers say for themselves whether they are trained
        for one in config["layers"]:
            made.add(saving.deserialize_keras_object(one, custom_objects))
        shape = config.get("build_input_shape")
        if not made.built and shape:
            made.build(tuple(shape))
        return made

    def _functional(self):
        made = self.__dict__.get("_as_functional")
        if made is None or made[0] != len(self._stack):
            if self._input_symbol is None:
                raise AttributeError(f"Sequential model '{self.name}' has no defined input shape yet.")
            value = symbol = self._input_symbol
            for one in self._stack:
                value = one(value)
            made = (len(self._stack), Functional(symbol, value, name=self.name))
            object.__setattr__(self, "_as_functional", made)
        return made[1]


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    """The model of a `.keras` file; see `keras.saving.load_model`."""
    from . import saving
    return saving.load_model(filepath, custom_objects, compile, safe_mode)


def save_model(model, filepath, overwrite=True, **kwargs):
    """Writes a model to a `.keras` file; see `keras.saving.save_model`."""
    from . import saving
    saving.save_model(model, filepath, overwrite, **kwargs)


def model_from_json(json_string, custom_objects=None):
    """The model that `to_json` has described, with new weights."""
    from . import saving
    return saving.model_from_json(json_string, custom_objects)


_ = (Node, has_symbols, native_name, convert_to_tensor)
