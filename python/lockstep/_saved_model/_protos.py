"""The messages of `saved_model.pb` and of a checkpoint's object graph, by their numbers of fields."""

from .. import _messages

_MESSAGES = {
    "SavedModel": {1: ("saved_model_schema_version", "int"), 2: ("meta_graphs", "*MetaGraphDef")},
    "SignatureDef": {1: ("inputs", "{TensorInfo"), 2: ("outputs", "{TensorInfo"), 3: ("method_name", "text")},
    "TensorInfo": {1: ("name", "text"), 2: ("dtype", "type"), 3: ("tensor_shape", "TensorShapeProto")},
    "AssetFileDef": {1: ("tensor_info", "TensorInfo"), 2: ("filename", "text")},
    "SavedObjectGraph": {1: ("nodes", "*SavedObject"), 2: ("concrete_functions", "{SavedConcreteFunction")},
    "SavedObject": {1: ("children", "*ObjectReference"), 3: ("slot_variables", "*SlotVariableReference"),
                    4: ("user_object", "SavedUserObject"), 5: ("asset", "SavedAsset"), 6: ("function", "SavedFunction"),
                    7: ("variable", "SavedVariable"), 8: ("bare_concrete_function", "SavedBareConcreteFunction"),
                    9: ("constant", "SavedConstant"), 10: ("resource", "SavedResource"), 12: ("captured_tensor", "CapturedTensor"),
                    13: ("registered_name", "text"), 15: ("dependencies", "*ObjectReference")},
    "ObjectReference": {1: ("node_id", "int"), 2: ("local_name", "text")},
    "SlotVariableReference": {1: ("original_variable_node_id", "int"), 2: ("slot_name", "text"), 3: ("slot_variable_node_id", "int")},
    "SavedUserObject": {1: ("identifier", "text"), 2: ("version", "VersionDef"), 3: ("metadata", "text")},
    "SavedAsset": {1: ("asset_file_def_index", "int")},
    "SavedFunction": {1: ("concrete_functions", "*text"), 2: ("function_spec", "FunctionSpec")},
    "FunctionSpec": {1: ("fullargspec", "StructuredValue"), 2: ("is_method", "bool"), 5: ("input_signature", "StructuredValue"),
                     6: ("jit_compile", "int")},
    "SavedVariable": {1: ("dtype", "type"), 2: ("shape", "TensorShapeProto"), 3: ("trainable", "bool"), 4: ("synchronization", "int"),
                      5: ("aggregation", "int"), 6: ("name", "text"), 7: ("device", "text")},
    "SavedBareConcreteFunction": {1: ("concrete_function_name", "text"), 2: ("argument_keywords", "*text"),
                                  3: ("allowed_positional_arguments", "int"), 4: ("function_spec", "FunctionSpec")},
    "SavedConstant": {1: ("operation", "text")},
    "SavedResource": {1: ("device", "text")},
    "CapturedTensor": {1: ("name", "text"), 2: ("concrete_function", "text")},
    "SavedConcreteFunction": {2: ("bound_inputs", "*int"), 3: ("canonicalized_input_signature", "StructuredValue"),
                              4: ("output_signature", "StructuredValue")},
    "StructuredValue": {1: ("none_value", "NoneValue"), 11: ("float64_value", "double"), 12: ("int64_value", "zigzag"),
                        13: ("string_value", "text"), 14: ("bool_value", "bool"), 31: ("tensor_shape_value", "TensorShapeProto"),
                        32: ("tensor_dtype_value", "type"), 33: ("tensor_spec_value", "TensorSpecProto"),
                        34: ("type_spec_value", "TypeSpecProto"), 35: ("bounded_tensor_spec_value", "TensorSpecProto"),
                        51: ("list_value", "StructuredList"), 52: ("tuple_value", "StructuredList"), 53: ("dict_value", "StructuredDict"),
                        54: ("named_tuple_value", "NamedTupleValue"), 55: ("tensor_value", "TensorProto"),
                        56: ("numpy_value", "TensorProto")},
    "NoneValue": {},
    "TensorSpecProto": {1: ("name", "text"), 2: ("shape", "TensorShapeProto"), 3: ("dtype", "type")},
    "TypeSpecProto": {1: ("type_spec_class", "int"), 2: ("type_state", "StructuredValue"), 3: ("type_spec_class_name", "text"),
                      4: ("num_flat_components", "int")},
    "StructuredList": {1: ("values", "*StructuredValue")},
    "StructuredDict": {1: ("fields", "{StructuredValue")},
    "NamedTupleValue": {1: ("name", "text"), 2: ("values", "*PairValue")},
    "PairValue": {1: ("key", "text"), 2: ("value", "StructuredValue")},
    "TrackableObjectGraph": {1: ("nodes", "*TrackableObject")},
    "TrackableObject": {1: ("children", "*ObjectReference"), 2: ("attributes", "*SerializedTensor"),
                        3: ("slot_variables", "*SlotVariableReference"), 5: ("has_checkpoint_values", "BoolValue")},
    "SerializedTensor": {1: ("name", "text"), 2: ("full_name", "text"), 3: ("checkpoint_key", "text")},
    "BoolValue": {1: ("value", "bool")},
    "HandleData": {1: ("dtype", "type"), 2: ("shape", "TensorShapeProto")},
}
_messages._MESSAGES.update(_MESSAGES)
_messages._MESSAGES["MetaGraphDef"].update({5: ("signature_def", "{SignatureDef"), 6: ("asset_file_def", "*AssetFileDef"),
                                            7: ("object_graph_def", "SavedObjectGraph")})
_messages._MESSAGES["MetaInfoDef"][7] = ("stripped_default_attrs", "bool")
_messages._MESSAGES["OpDef"][17] = ("is_stateful", "bool")
_messages._MESSAGES["ArgDef"][7] = ("handle_data", "*HandleData")
_messages._GROUPS.update({"StructuredValue": "kind", "SavedObject": "kind"})
_messages._ONE_OF.update({
    "StructuredValue": tuple(name for name, _ in _MESSAGES["StructuredValue"].values()),
    "SavedObject": ("user_object", "asset", "function", "variable", "bare_concrete_function", "constant", "resource", "captured_tensor")})

Message = _messages.Message
