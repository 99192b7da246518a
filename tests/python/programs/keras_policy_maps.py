import numpy as np
import tensorflow as tf

keras = tf.keras
policies = keras.dtype_policies
given = policies.DTypePolicyMap()
given["layer/dense_0"] = keras.DTypePolicy("bfloat16")
given[".*/out"] = "float16"
given["a.*"] = keras.FloatDTypePolicy("float64")
for path in ("layer/dense_0", "y/layer/dense_0", "x/out", "x/out/y", "abc", "xabc", "layer"):
    print(path, given[path])
print(len(given), list(given), given.name, given.compute_dtype, given.variable_dtype, given.default_policy, policies.get(given) is given)
for act in (lambda: given["abc/out"], lambda: given.__setitem__("a.*", "float16"), lambda: policies.DTypePolicyMap(policy_map=3)):
    try:
        act()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
del given["layer/dense_0"]
print("layer/dense_0" in given, len(given), given["layer/dense_0"])
print(policies.DTypePolicyMap("mixed_bfloat16")["q"], policies.DTypePolicyMap("mixed_float16").compute_dtype)
layer = keras.layers.Dense(2, dtype=given, name="abc")
print(layer(np.ones((1, 2))).dtype.name, keras.layers.Dense(2, dtype=given, name="q").compute_dtype)
print(policies.FloatDTypePolicy is keras.FloatDTypePolicy, policies.deserialize(policies.serialize(policies.DTypePolicy("mixed_float16"))))
result_type = keras.backend.result_type
print(result_type("int32", "float16"), result_type("int8", "uint8"), result_type("bool", int), result_type("int64", float), result_type(), result_type("float16", "bfloat16"),
      result_type("int8", "float16", int), result_type(int, int), result_type(float), result_type("uint8", "int16"), result_type("bool", "bool"))
try:
    result_type("x")
except ValueError as error:
    print(error)
