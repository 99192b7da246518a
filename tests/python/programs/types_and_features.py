import typing

import tensorflow as tf

types = tf.types.experimental
function = tf.function(lambda x: x)
concrete = function.get_concrete_function(tf.constant(1.0))
for name in ("Callable", "ConcreteFunction", "GenericFunction", "PolymorphicFunction", "TensorLike", "TraceType"):
    kind = getattr(types, name)
    print(name, [isinstance(one, kind) for one in (tf.constant(1.0), function, concrete, 1, [1], "a", tf.Variable(1.0))])


def annotated(x: types.TensorLike, f: types.GenericFunction = None) -> types.TensorLike:
    return f(x) if f else x


print(list(typing.get_type_hints(annotated)), annotated(tf.constant(2.0), function).numpy())
print(types.GenericFunction is types.PolymorphicFunction, types.distributed.PerReplica.__name__ == "PerReplica")


class Fruit(types.TraceType):
    def __init__(self, kind):
        self.kind = kind

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == one for one in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.kind

    def __eq__(self, other):
        return isinstance(other, Fruit) and self.kind == other.kind

    def __hash__(self):
        return hash(self.kind)


class Basket:
    def __tf_tracing_type__(self, context):
        return Fruit("apple")


print(isinstance(Basket(), types.SupportsTracingProtocol), isinstance(1, types.SupportsTracingProtocol),
      isinstance(Fruit("pear"), types.TraceType))
try:
    types.TraceType()
except TypeError as error:
    print("TypeError", "abstract" in str(error))

feature = tf.autograph.experimental.Feature
print(list(feature))
print(sorted(one.name for one in feature.all_but([feature.LISTS, feature.NAME_SCOPES])),
      sorted(one.name for one in feature.all_but(feature.LISTS)))


@tf.function(experimental_autograph_options=feature.EQUALITY_OPERATORS)
def optioned(i):
    if i == 0:
        i += 5
    return i


print(optioned(tf.constant(0)).numpy(), optioned(tf.constant(2)).numpy())


@tf.function
def seen(x):
    tf.autograph.trace("seen", x.shape)
    return x + 1


print(seen(tf.constant([1.0])).numpy(), seen(tf.constant([2.0])).numpy())
