"""`tf.saved_model.save`: functions, variables and objects as a folder that TensorFlow reads."""

import os
import re

from .. import _native, _whole_files, nest
from .._dtypes import as_dtype
from .._function import ConcreteFunction, Function, TensorSpec
from .._tensor import convert_to_tensor
from .._variable import Variable
from ._graphs import ServingGraph
from ._nodes import Endpoint, function_name, NodeWriter, RESOURCE, Types
from ._objects import functions_of, ObjectGraph
from ._protos import Message
from ._restored import RestoredConcrete, SignatureMap
from ._structures import encode, shape_proto
from ._traces import concretes_of, full_spec, is_function, python_of, Trace
from ._translate import GraphTranslator

DEFAULT = "serving_default"
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_VERSION = "2.21.0"  # of TensorFlow, whose form the files have


def save(root, export_dir, signatures=None):
    """Writes an object with its variables and functions. Raises: NotImplementedError for ops that TensorFlow does not have; AssertionError
    for a function that reads a variable which the object does not hold; ValueError for other signatures."""
    made = _Writer(root, _chosen_signatures(root, signatures))
    folder = os.path.abspath(os.fspath(export_dir))
    strategy = _whole_files.of_workers()
    if strategy is None:
        made.write(folder)
    else:
        strategy._native.on_one(folder, lambda: made.write(folder))


def _chosen_signatures(root, signatures):
    """{name: Function or concrete function}: those given, else the only function with an input signature."""
    if signatures is None:
        from ..keras.models import Model
        found = dict(functions_of(root))
        if "_default_save_signature" in found:
            return {DEFAULT: found["_default_save_signature"]}
        if isinstance(root, Model):
            return _of_model(root)
        able = [one for one in found.values() if isinstance(one, Function) and one.input_signature is not None]
        return {DEFAULT: able[0]} if len(able) == 1 and _can_be_signature(able[0]) else {}
    made = signatures if isinstance(signatures, dict) else {DEFAULT: signatures}
    for name, one in made.items():
        if not is_function(one) or not isinstance(one, ConcreteFunction) and one.input_signature is None and len(one._known()) != 1:
            raise ValueError("Expected a TensorFlow function for which to generate a signature, but got "
                             f"{one}. Only `tf.functions` with an input signature or concrete functions can be used as a signature.")
        if not isinstance(name, str):
            raise ValueError(f"The keys of signatures must be texts; got {name!r}")
    return made


def _of_model(model):
    """The signature of a model of Keras, for inference; none for one that was not called."""
    from ..keras._export import signature_of
    try:
        specs = signature_of(model)
    except ValueError:
        return {}
    return {DEFAULT: Function(lambda *given: model(*given, training=False), specs, name="serving_default")}


def _can_be_signature(function):
    return all(isinstance(one, TensorSpec) for one in nest.flatten(function.input_signature))


def argument_name(name):
    """A name as an argument of a FunctionDef may have it."""
    made = re.sub(r"[^a-z0-9_]", "_", name.lower())
    return made if made[:1].isalpha() else "arg_" + made


class _Writer:
    """The messages of one SavedModel."""

    def __init__(self, root, signatures):
        self.objects = ObjectGraph(root)
        self.library, self.concretes = [], {}
        self._by_address, self._handle_data, self._written = {}, {}, {}
        for number, one in enumerate(self.objects.objects):
            if isinstance(one.value, Variable):
                address = _native.handle_address(one.value._v)
                self._by_address[address] = number
                self._handle_data[address] = int(as_dtype(one.value.dtype)), shape_proto(one.value.shape)
        self._translator = GraphTranslator(self.library, set(), _Tracked(self._handle_data))
        for number, one in list(enumerate(self.objects.objects)):
            if is_function(one.value):
                self._add_function(number, one)
        self._signatures = self._add_signatures(signatures)

    def _concrete(self, function, args, kwargs, label):
        """(name of the FunctionDef, its Trace, the addresses of its variables) of a concrete function."""
        python = python_of(function)
        call = _OfRestored(python) if isinstance(python, RestoredConcrete) else python
        trace = Trace(call, args, kwargs, label)
        key = id(python), repr(trace.inputs)
        if key not in self._written:
            name = self._translator.unique(f"__inference_{re.sub(r'[^A-Za-z0-9_]', '_', label)}_{len(self._written)}")
            self._translator._names.discard(name)
            name, captured = self._translator.function(name, trace.graph, [argument_name(one.name) for one in trace.specs])
            self._written[key] = name, trace, captured
            self.concretes[name] = Message(
                "SavedConcreteFunction", bound_inputs=[self._by_address[one] for one in captured],
                canonicalized_input_signature=encode(trace.inputs), output_signature=encode(trace.outputs))
        return self._written[key]

    def _add_function(self, number, one):
        label = one.value.__name__ if isinstance(one.value, Function) else python_of(one.value).name
        made = [self._concrete(one.value, args, kwargs, label) for args, kwargs in concretes_of(one.value)]
        if isinstance(one.value, ConcreteFunction):
            one.concrete = made[0]
            return
        one.functions = [name for name, _, _ in made]
        for place, concrete in enumerate(made):
            child = self.objects.append(_TraceObject(), number, f"trace_{place}")
            self.objects.objects[child].concrete = concrete

    def _add_signatures(self, signatures):
        """[(key, name of the wrapper, inputs, outputs, numbers of variables)]; objects for them are added."""
        parent = self.objects.append(SignatureMap(), 0, "signatures")
        made = []
        for key, function in sorted(signatures.items()):
            args, kwargs = concretes_of(function)[0]
            label = function.__name__ if isinstance(function, Function) else python_of(function).name
            name, trace, captured = self._concrete(function, args, kwargs, label)
            inputs, outputs = [(one.name, one) for one in trace.specs], _output_names(trace.outputs)
            if len({one for one, _ in inputs}) != len(inputs):
                raise ValueError(f"[saved_model] the inputs of a signature must have names of their own; got {[one for one, _ in inputs]}; "
                                 "give names to the TensorSpecs")
            wrapper = self._wrapper(name, label, inputs, outputs, captured)
            numbers = [self._by_address[one] for one in captured]
            self.concretes[wrapper] = Message(
                "SavedConcreteFunction", bound_inputs=numbers, canonicalized_input_signature=encode(((), dict(inputs))),
                output_signature=encode({one: TensorSpec(spec.shape, spec.dtype, one) for one, spec in outputs}))
            child = self.objects.append(_TraceObject(), parent, key)
            self.objects.objects[child].concrete = wrapper, None, captured
            self.objects.objects[child].keywords = [one for one, _ in inputs]
            made.append((key, wrapper, inputs, outputs, numbers))
        return made

    def _wrapper(self, name, label, inputs, outputs, captured):
        """A function that calls another one, with the names of a signature for its results."""
        w = NodeWriter()
        made = Message("FunctionDef")
        made.signature = Message("OpDef", name=self._translator.unique(f"__inference_signature_wrapper_{label}"), is_stateful=True)
        given = []
        for one, spec in inputs:
            given.append(Endpoint(w.unique(argument_name(one)), int(spec.dtype)))
            made.signature.input_arg.add(name=given[-1], type=given[-1].dtype)
        for place, address in enumerate(captured):
            dtype, shape = self._handle_data[address]
            given.append(Endpoint(w.unique(f"resource_{place}"), RESOURCE))
            made.signature.input_arg.add(name=given[-1], type=RESOURCE, handle_data=[Message("HandleData", dtype=dtype, shape=shape)])
        types = Types(int(spec.dtype) for _, spec in outputs)
        results = w.add("StatefulPartitionedCall", [given], {"f": function_name(name), "Tout": types})
        for place, one in enumerate(results):
            result = w.unique(f"identity_{place}")
            made.signature.output_arg.add(name=result, type=one.dtype)
            made.ret[result] = w.add("Identity", [one], {})[0]
        made.node_def.extend(w.nodes)
        self.library.append(made)
        return made.signature.name

    # ---- the files

    def write(self, folder):
        os.makedirs(os.path.join(folder, "variables"), exist_ok=True)
        os.makedirs(os.path.join(folder, "assets"), exist_ok=True)
        keys = {number: one.path + _VALUE for number, one in enumerate(self.objects.objects) if isinstance(one.value, Variable)}
        tensors = [(key, convert_to_tensor(self.objects.objects[number].value.read_value())) for number, key in keys.items()]
        graph = self._checkpoint_graph(keys).SerializeToString()
        tensors.append(("_CHECKPOINTABLE_OBJECT_GRAPH", convert_to_tensor(graph)))
        _native.write_tensor_bundle(os.path.join(folder, "variables", "variables"), tensors)
        data = self._saved_model(keys).SerializeToString()
        with _whole_files.replacing(os.path.join(folder, "saved_model.pb")) as path, open(path, "wb") as file:
            file.write(data)

    def _saved_model(self, keys):
        graph = ServingGraph()
        meta = Message("MetaGraphDef", meta_info_def={"tags": ["serve"], "tensorflow_version": _VERSION, "stripped_default_attrs": True})
        for number in keys:
            graph.variable(number, self.objects.objects[number].value)
        for key, name, inputs, outputs, numbers in self._signatures:
            meta.signature_def[key] = graph.signature(key, name, inputs, outputs, numbers)
        meta.signature_def["__saved_model_init_op"] = graph.initializer()
        meta.saver_def = graph.saver(keys, {number: self.objects.objects[number].value for number in keys})
        meta.graph_def = Message("GraphDef", node=graph.w.nodes, library={"function": self.library},
                                 versions={"producer": 2474, "min_consumer": 12})
        meta.object_graph_def = Message("SavedObjectGraph", nodes=[self._node(one) for one in self.objects.objects],
                                        concrete_functions=self.concretes)
        return Message("SavedModel", saved_model_schema_version=1, meta_graphs=[meta])

    def _node(self, one):
        made = Message("SavedObject")
        for name, number in one.children:
            made.children.add(node_id=number, local_name=name)
        if isinstance(one.value, Variable):
            made.variable = _variable(one.value)
        elif one.concrete is not None:
            made.bare_concrete_function = self._bare(one)
        elif is_function(one.value):
            made.function = Message("SavedFunction", concrete_functions=one.functions, function_spec=_spec(one.value))
            for name, number in one.children:
                made.dependencies.add(node_id=number, local_name=name)
        else:
            made.user_object = Message("SavedUserObject", identifier=one.kind, version={"producer": 1, "min_consumer": 1})
        return made

    def _bare(self, one):
        name, trace, _ = one.concrete
        if trace is None:
            keywords = one.keywords
            spec = _full_spec(inputs=[], by_name=keywords)
        else:
            keywords, spec = [spec.name for spec in trace.specs], _spec(trace._call)
        positional = int(len(keywords) == 1) if trace is None else len(trace.inputs[0])
        return Message("SavedBareConcreteFunction", concrete_function_name=name, argument_keywords=keywords,
                       allowed_positional_arguments=positional, function_spec=spec)

    def _checkpoint_graph(self, keys):
        made = Message("TrackableObjectGraph")
        for number, one in enumerate(self.objects.objects):
            node = made.nodes.add()
            for name, child in one.children:
                node.children.add(node_id=child, local_name=name)
            if number in keys:
                node.attributes.add(name="VARIABLE_VALUE", full_name=one.value._v.name, checkpoint_key=keys[number])
            node.has_checkpoint_values = Message("BoolValue", value=number in keys or not is_function(one.value))
        return made


class _TraceObject:
    """The object of a concrete function."""


class _Tracked(dict):
    """{address of a variable: (dtype, shape)} of the variables that the object holds."""

    def __init__(self, known):
        super().__init__()
        self._known = known

    def __missing__(self, address):
        if address not in self._known:
            raise AssertionError("Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. "
                                 "tf.Variable) captured by functions must be 'tracked' by assigning them to an attribute of a tracked "
                                 "object or assigned to an attribute of the main object directly.")
        return self._known[address]


class _OfRestored:
    """A concrete function that was read from a SavedModel, as one to be traced."""

    def __init__(self, concrete):
        self._concrete = concrete
        self.python_function = lambda *args, **kwargs: concrete(*args, **kwargs)

    def _converted(self):
        return self._concrete


def _variable(variable):
    made = Message("SavedVariable", dtype=int(as_dtype(variable.dtype)), shape=shape_proto(variable.shape),
                   trainable=bool(variable.trainable), name=variable._v.name)
    made.synchronization, made.aggregation = variable._v.synchronization, variable._v.aggregation
    return made


def _spec(function):
    """The FunctionSpec of a function."""
    python = python_of(function)
    full = full_spec(_OfRestored(python) if isinstance(python, RestoredConcrete) else python)
    signature = getattr(function, "input_signature", None)
    return _full_spec(full.args, full.kwonlyargs, full.varargs, full.varkw, full.defaults, full.kwonlydefaults,
                      None if signature is None else tuple(signature))


def _full_spec(inputs, by_name, varargs=None, varkw=None, defaults=None, by_name_defaults=None, signature=None):
    values = {"args": list(inputs), "varargs": varargs, "varkw": varkw, "defaults": defaults, "kwonlyargs": list(by_name),
              "kwonlydefaults": by_name_defaults, "annotations": {}}
    pairs = [Message("PairValue", key=key, value=encode(one)) for key, one in values.items()]
    held = Message("StructuredValue")
    held.named_tuple_value = Message("NamedTupleValue", name="FullArgSpec", values=pairs)
    return Message("FunctionSpec", fullargspec=held, input_signature=encode(signature))


def _output_names(outputs):
    """[(name, TensorSpec)] of a signature's results. Raises: ValueError for nested ones."""
    if isinstance(outputs, dict):
        made = sorted(outputs.items())
    elif isinstance(outputs, (list, tuple)):
        made = [(f"output_{place}", one) for place, one in enumerate(outputs)]
    else:
        made = [("output_0", outputs)]
    if not made or any(not isinstance(name, str) or not isinstance(one, TensorSpec) for name, one in made):
        raise ValueError(f"Got non-flat/non-unique argument names for SavedModel signature, or results that are no tensors: {outputs!r}; a "
                         "signature returns a tensor, or a list or dict of tensors")
    return made
