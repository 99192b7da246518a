# Lambda layers in files: lambdas load without safe mode alone, functions by registration or custom objects.
import json
import warnings

import tensorflow as tf

warnings.simplefilter("ignore")
keras = tf.keras


@keras.utils.register_keras_serializable(package="here")
def tripled(x, by=3):
    return x * by


def doubled(x):
    return x * 2


def loads(path, **options):
    try:
        return keras.models.load_model(path, **options)(tf.ones([1, 2])).numpy().tolist()
    except (ValueError, TypeError) as error:
        return type(error).__name__, str(error)[:46] if isinstance(error, ValueError) else ""


factor = 5
for name, layer in (("lambda", keras.layers.Lambda(lambda x: x * 4, name="l")),
                    ("closure", (lambda by: keras.layers.Lambda(lambda x: x * by, output_shape=(2,), name="l"))(7)),
                    ("registered", keras.layers.Lambda(tripled, arguments={"by": 6}, name="l")),
                    ("plain", keras.layers.Lambda(doubled, name="l")),
                    ("activation", keras.layers.Lambda(keras.activations.relu, name="l"))):
    model = keras.Sequential([keras.Input((2,)), layer])
    model.save(name + ".keras")
    config = layer.get_config()
    print(name, sorted(config), config["function"]["class_name"], config["function"].get("module"))
    print(loads(name + ".keras"), loads(name + ".keras", safe_mode=False), loads(name + ".keras", custom_objects={"doubled": doubled}))
    with keras.utils.custom_object_scope({"doubled": doubled}):
        print(loads(name + ".keras"))
config = json.loads(model.to_json())
for module, function in (("os", "system"), ("builtins", "eval"), ("keras.utils", "get_file"), ("keras.saving", "load_model")):
    config["config"]["layers"][1]["config"]["function"] = {"module": module, "class_name": "function", "config": function,
                                                           "registered_name": function}
    try:
        print(keras.models.model_from_json(json.dumps(config)))
    except (ValueError, TypeError) as error:
        print(module, function, "refused")
