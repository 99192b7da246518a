"""The graph of a MetaGraphDef: what TensorFlow Serving runs. It has the variables, a placeholder for each input of a signature, a call
of the signature's function, and the ops that save and restore."""

from .._dtypes import as_dtype
from ._nodes import Endpoint, function_name, NodeWriter, RESOURCE, Type, Types
from ._protos import Message
from ._structures import shape_proto

_STRING = 7


class ServingGraph:
    """Collects the nodes."""

    def __init__(self):
        self.w = NodeWriter(is_graph=True)
        self._handles = {}

    def variable(self, number, variable):
        """Adds a variable; its number is that of its object."""
        name = self.w.unique(variable._v.name)
        self.w._used.discard(name)
        attributes = {"shared_name": name, "dtype": Type(int(as_dtype(variable.dtype))), "shape": shape_proto(variable.shape)}
        self._handles[number] = Endpoint(self.w.add("VarHandleOp", [], attributes, name)[0], RESOURCE)

    def constant(self, tensor_proto):
        """The name of a Const node."""
        return str(self.w.constant_of(tensor_proto))

    def signature(self, key, function, inputs, outputs, captures):
        """Adds a signature. `inputs`, `outputs`: [(name, TensorSpec)]; `captures`: numbers of variables. Returns: the SignatureDef."""
        made = Message("SignatureDef", method_name="tensorflow/serving/predict")
        given = []
        for name, spec in inputs:
            place = self.w.add("Placeholder", [], {"dtype": Type(int(spec.dtype)), "shape": shape_proto(spec.shape)}, f"{key}_{name}")[0]
            made.inputs[name] = _info(place, spec)
            given.append(place)
        attributes = {"f": function_name(function), "Tout": Types(int(spec.dtype) for _, spec in outputs)}
        results = self.w.add("StatefulPartitionedCall", [given + [self._handles[one] for one in captures]], attributes)
        for (name, spec), one in zip(outputs, results):
            made.outputs[name] = _info(one, spec)
        return made

    def initializer(self):
        """Adds the op that makes a loaded model ready, which has nothing to do. Returns: its SignatureDef."""
        self.w.add("NoOp", [])
        node = self.w.last.name
        info = Message("TensorInfo", name=node, tensor_shape=shape_proto(None))
        return Message("SignatureDef", outputs={"__saved_model_init_op": info})

    def saver(self, keys, variables):
        """Adds the ops that save and restore. `keys`: {number: key in the checkpoint}. Returns: the SaverDef."""
        path = self.w.add("Placeholder", [], {"dtype": Type(_STRING), "shape": shape_proto([])}, "saver_filename")[0]
        numbers = sorted(keys)
        types = Types(int(as_dtype(variables[one].dtype)) for one in numbers)
        restored = []
        if numbers:
            names = self.w.constant([keys[one].encode() for one in numbers], "string", "save/tensor_names")
            slices = self.w.constant([b""] * len(numbers), "string", "save/shape_and_slices")
            values = [self.w.add("ReadVariableOp", [self._handles[one]], {"dtype": Type(dtype)}, "save/Read")[0]
                      for one, dtype in zip(numbers, types)]
            self.w.add("SaveV2", [path, names, slices, values], {}, "save/SaveV2")
            written = self.w.last.name
            found = self.w.add("RestoreV2", [path, names, slices], {"dtypes": types}, "save/RestoreV2")
            for number, one in zip(numbers, found):
                self.w.add("AssignVariableOp", [self._handles[number], one], {}, "save/Assign")
                restored.append(self.w.last.name)
            saved = self.w.add("Identity", [path], {}, "save/control_dependency", [written])[0]
        else:
            saved = self.w.add("Identity", [path], {}, "save/control_dependency")[0]
        self.w.add("NoOp", [], {}, "save/restore_all", restored)
        return Message("SaverDef", filename_tensor_name=path + ":0", save_tensor_name=saved + ":0", restore_op_name=self.w.last.name,
                       version=2)


def _info(endpoint, spec):
    name = endpoint if ":" in endpoint else endpoint + ":0"
    return Message("TensorInfo", name=str(name), dtype=int(spec.dtype), tensor_shape=shape_proto(spec.shape))
