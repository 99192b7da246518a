import typing
import numpy as np
import tensorflow as tf

E = tf.experimental
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, "!", type(e).__name__)
class Masked(E.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    @property
    def shape(self): return self.values.shape
    def with_default(self, d): return tf.where(self.mask, self.values, d)
    def __validate__(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)
    class Spec:
        @property
        def shape(self): return self.values.shape
class Store(E.ExtensionType):
    name: str
    n: int
    price: tf.Tensor = 1.5
    tags: typing.Mapping[str, tf.Tensor] = {}
    sizes: typing.Tuple[int, ...] = (1, 2)
    parts: typing.Tuple[Masked, ...] = ()
    opt: typing.Union[str, int] = "q"
    sh: tf.TensorShape = [2, None]
    dt: tf.DType = "int32"
m = Masked([1, 2, 3], [True, False, True])
t("repr", lambda: repr(m).replace("\n", " ")); t("spec", lambda: repr(m._type_spec) if False else repr(Masked.Spec.from_value(m))); t("spec2", lambda: Masked.Spec(tf.TensorSpec([3]), tf.TensorSpec([3], tf.bool)))
t("shape", lambda: (m.shape, Masked.Spec.from_value(m).shape)); t("meth", lambda: m.with_default(0).numpy())
t("bad", lambda: Masked([1, 2], [True])); t("badt", lambda: Masked([1, 2], None)); t("missing", lambda: Masked([1])); t("extra", lambda: Masked([1], [True], 3)); t("kw", lambda: Masked(mask=[True], values=[1]).values.numpy())
def mut(): m.values = 3
t("mut", mut)
def dele(): del m.values
t("del", dele)
def setx(): m.foo = 3
t("setx", setx); t("getx", lambda: m.foo)
s = Store("a", 3, parts=[m], tags={"x": 1.0})
t("store", lambda: repr(s).replace("\n", " "))
t("sspec", lambda: tf.type_spec_from_value(s))
t("types", lambda: (type(s.tags).__name__, type(s.parts), s.sh, s.dt, s.price.dtype.name, s.sizes))
t("b1", lambda: Store(1, 3)); t("b2", lambda: Store("a", 3.5)); t("b3", lambda: Store("a", 3, sizes=(1, "b"))); t("b4", lambda: Store("a", 3, opt=3.5)); t("b5", lambda: Store("a", 3, tags=[1])); t("b6", lambda: Store("a", 3, sizes=4)); t("b7", lambda: Store("a", 3, dt="nope")); t("b8", lambda: Store("a", 3, parts=[1]))
t("as_dict", lambda: sorted(E.extension_type.as_dict(s)))
t("eq", lambda: ((m == Masked([1, 2, 3], [True, False, True])).numpy(), (m == Masked([1, 2, 4], [True, False, True])).numpy(), m == 3, m != 3, m == Masked([1, 2], [True, False]), (m != Masked([1, 2, 4], [True, False, True])).numpy()))
t("hash", lambda: hash(m)); t("abstract", lambda: E.ExtensionType())
def c1():
    class A(E.ExtensionType):
        x: tf.Tensor
        y = 3
t("c1", c1)
def c2():
    class A(E.ExtensionType):
        x: list
t("c2", c2)
def c3():
    class A(E.ExtensionType):
        value_type: tf.Tensor
t("c3", c3)
def c4():
    class A(E.ExtensionType):
        x: int = "a"
t("c4", c4)
def c5():
    class A(E.ExtensionType):
        x: int = 1
        y: tf.Tensor
    return A(y=3.0).y.numpy(), A(5, y=2.).x
t("c5", c5)
t("c5b", lambda: (lambda A: A(5, 2.))(type(E.ExtensionType)("A", (E.ExtensionType,), {"__annotations__": {"x": int, "y": tf.Tensor}, "x": 1})))
class Sub(Masked):
    extra: tf.Tensor
t("sub", lambda: repr(Sub([1], [True], 4.0).extra.numpy()))
class Init(E.ExtensionType):
    a: tf.Tensor
    b: tf.Tensor
    def __init__(self, x):
        self.a = x
        self.b = [x, x]
t("init", lambda: (Init(3.0).a.numpy(), Init(3.0).b.numpy()))
class Node(E.ExtensionType):
    v: tf.Tensor
    next: typing.Union["Node", None] = None
t("node", lambda: Node(1, Node(2)).next.v.numpy())
# nest
t("nest", lambda: (len(tf.nest.flatten(m)), [x.numpy().tolist() for x in tf.nest.flatten(s, expand_composites=True)]))
t("map", lambda: repr(tf.nest.map_structure(lambda x: x * 2 if x.dtype != tf.bool else x, m, expand_composites=True)).replace("\n", " "))
t("pack", lambda: tf.nest.pack_sequence_as(m, [tf.constant([9]), tf.constant([True])], expand_composites=True).values.numpy())
# function
n = [0]
@tf.function
def f(x, k=None):
    n[0] += 1
    return x, x.with_default(7) if hasattr(x, "with_default") else x.price
t("fn", lambda: repr(f(m)).replace("\n", " ")); f(m); t("n1", lambda: n[0]); f(Masked([1, 2], [True, False])); t("n2", lambda: n[0])
f(Store("a", 3)); f(Store("a", 3)); t("n3", lambda: n[0]); f(Store("a", 4)); t("n4", lambda: n[0]); f(Store("b", 4)); t("n5", lambda: n[0])
@tf.function(input_signature=[Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))])
def g(x): return x.with_default(-1)
t("sig", lambda: (g(m).numpy(), g(Masked([5], [False])).numpy())); t("sigbad", lambda: g(Masked([5.0], [False])))
@tf.function
def h(x):
    if tf.reduce_sum(x.values) > 3: y = Masked(x.values * 2, x.mask)
    else: y = x
    i = tf.constant(0)
    while i < 2:
        y = Masked(y.values + 1, y.mask); i += 1
    return y
t("control", lambda: repr(h(m)).replace("\n", " "))
t("cond", lambda: tf.cond(tf.constant(True), lambda: m, lambda: Masked([0, 0, 0], [True] * 3)).values.numpy())
t("while", lambda: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, Masked(y.values * 2, y.mask)), [0, m])[1].values.numpy())
# data
ds = tf.data.Dataset.from_tensors(m)
t("ds", lambda: (ds.element_spec, [repr(x).replace("\n", " ") for x in ds])); t("dsmap", lambda: [x.numpy().tolist() for x in ds.map(lambda x: x.with_default(0))])
t("dsmap2", lambda: [x.values.numpy().tolist() for x in tf.data.Dataset.range(2).map(lambda i: Masked([i], [True]))])
class V(E.BatchableExtensionType):
    speed: tf.Tensor
    mpg: tf.Tensor
    shape: tf.TensorShape
v = V([120, 150, 80], [30., 40., 12.], [3])
t("slices", lambda: [(x.speed.numpy(), x.shape) for x in tf.data.Dataset.from_tensor_slices(v)]); t("slspec", lambda: tf.data.Dataset.from_tensor_slices(v).element_spec)
b = tf.data.Dataset.from_tensor_slices(v).batch(2)
t("bspec", lambda: b.element_spec); t("batch", lambda: [(x.speed.numpy().tolist(), x.mpg.numpy().tolist(), x.shape) for x in b]); t("unbatch", lambda: [x.speed.numpy() for x in b.unbatch()])
t("mapfn", lambda: tf.map_fn(lambda q: q.speed * 2, v, fn_output_signature=tf.int32).numpy())
t("mapfn2", lambda: tf.map_fn(lambda q: V(q.speed + 1, q.mpg, []), v, fn_output_signature=V.Spec(tf.TensorSpec([], tf.int32), tf.TensorSpec([]), tf.TensorShape([]))).speed.numpy())
class RV(E.BatchableExtensionType):
    r: tf.RaggedTensor
    k: tf.Tensor
rv = RV(tf.ragged.constant([[1, 2], [3]]), [1, 2])
t("ragged", lambda: [(x.r.numpy().tolist(), x.k.numpy()) for x in tf.data.Dataset.from_tensor_slices(rv)])
t("rfn", lambda: tf.function(lambda x: (x.r * 2).to_list() if False else x.r * 2)(rv).to_list())
# spec
a, c = tf.type_spec_from_value(m), Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
t("compat", lambda: (c.is_compatible_with(a), a.is_compatible_with(c), c.is_compatible_with(m), a == tf.type_spec_from_value(m), hash(a) == hash(tf.type_spec_from_value(m)), a != c, a.is_compatible_with(tf.constant(1))))
t("vt", lambda: (Masked.Spec.value_type is Masked, isinstance(a, tf.TypeSpec), isinstance(a, E.ExtensionTypeSpec), issubclass(Masked.Spec, tf.TypeSpec)))
t("specbad", lambda: Masked.Spec(3, 4)); t("msc", lambda: a.most_specific_compatible_type(tf.type_spec_from_value(Masked([1], [True]))))
t("grad", lambda: (lambda: None)() )
x = tf.Variable(3.0)
with tf.GradientTape() as tape: y = Masked(x * 2.0, True); z = tf.function(lambda q: q.values ** 2)(y)
t("grad2", lambda: tape.gradient(z, x).numpy())
t("is_tensor", lambda: tf.is_tensor(m)); t("convert", lambda: tf.convert_to_tensor(m))
t("graph str", lambda: tf.function(lambda q: tf.constant(type(q).__name__))(m).numpy())
@tf.function
def nested(d): return {"o": Masked(d["a"].values + d["b"][0].values, d["a"].mask)}
t("nested", lambda: nested({"a": m, "b": (m, 3)})["o"].values.numpy())
class Mod(tf.Module):
    def __init__(self): self.m = m
    @tf.function
    def __call__(self, z): return self.m.values + z
t("module", lambda: Mod()(1).numpy())
class FnT(E.ExtensionType):
    a: tf.Tensor
    @tf.function
    def double(self): return FnT(self.a * 2)
t("method", lambda: FnT(2.0).double().a.numpy())
