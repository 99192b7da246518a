"""Layers in containers that change after they were set."""
import collections
import copy

import tensorflow as tf
from tensorflow import keras
D = lambda: keras.layers.Dense(2, kernel_initializer="ones", use_bias=False)
def case(name, make, change=None):
    for kind in (keras.Model, keras.layers.Layer):
        class M(kind):
            def __init__(self):
                super().__init__()
                self.p = make()
                if change: change(self)
        try:
            m = M()
            n = len(m._layers) if hasattr(m, "_layers") else len(m._children)
            print(name, kind.__name__, type(m.p).__name__, n)
        except Exception as e:
            print(name, kind.__name__, type(e).__name__, str(e)[:80])
def ch(f):
    return lambda s: f(s.p)
case("set", lambda: {D(), D()})
case("set update", set, ch(lambda p: p.update([D(), D()])))
case("set ior", set, ch(lambda p: p.__ior__({D(), D()})))
case("setitem", lambda: [None]*2, ch(lambda p: p.__setitem__(0, D())))
case("setslice", lambda: [None]*2, ch(lambda p: p.__setitem__(slice(0,1), [D()])))
case("append list", list, ch(lambda p: p.append([D()])))
def appl(p):
    p.append([]); p[0].append(D())
case("append list then append", list, ch(appl))
def appd(p):
    p["a"]=[]; p["a"].append(D())
case("dict set list then append", dict, ch(appd))
case("dict set list", dict, ch(lambda p: p.__setitem__("a", [D()])))
case("insert list", list, ch(lambda p: p.insert(0, [D()])))
case("extend", list, ch(lambda p: p.extend([D(), [D()]])))
case("extend gen", list, ch(lambda p: p.extend(D() for _ in range(2))))
def imul(s): s.p *= 2
case("imul", lambda: [D()], imul)
case("setdefault", dict, ch(lambda p: p.setdefault("a", D())))
case("update", dict, ch(lambda p: p.update({"a": D(), "b": [D()]})))
def ior(s): s.p |= {"a": D()}
case("ior", dict, ior)
case("ior local", dict, ch(lambda p: p.__ior__({"a": D()})))
case("pop", lambda: [D(), D(), D()], ch(lambda p: p.pop()))
case("pop2", lambda: [D(), D(), D()], ch(lambda p: p.pop(0)))
case("remove", lambda: [D(), D(), D()], ch(lambda p: p.remove(p[1])))
case("del", lambda: [D(), D(), D()], ch(lambda p: p.__delitem__(1)))
case("del slice", lambda: [D(), D(), D()], ch(lambda p: p.__delitem__(slice(0,2))))
case("clear", lambda: [D(), D(), D()], ch(lambda p: p.clear()))
case("reverse", lambda: [D(), D(), D()], ch(lambda p: p.reverse()))
case("dict del", lambda: {"a": D(), "b": D()}, ch(lambda p: p.__delitem__("a")))
case("dict pop", lambda: {"a": D(), "b": D()}, ch(lambda p: p.pop("a")))
case("dict pop default", lambda: {"a": D(), "b": D()}, ch(lambda p: p.pop("z", None)))
case("dict popitem", lambda: {"a": D(), "b": D()}, ch(lambda p: p.popitem()))
case("dict clear", lambda: {"a": D(), "b": D()}, ch(lambda p: p.clear()))
case("dict set over", lambda: {"a": D(), "b": D()}, ch(lambda p: p.__setitem__("a", D())))
case("od", lambda: collections.OrderedDict(a=D()), ch(lambda p: p.__setitem__("b", D())))
case("od move", lambda: collections.OrderedDict(a=D()), ch(lambda p: p.update({"b": D()})))
case("deque", lambda: collections.deque([D()]), None)
case("frozenset", lambda: frozenset([D()]), None)
case("userlist", lambda: collections.UserList([D()]), None)
case("same twice", lambda: [D()] * 2, None)
case("dup pop", lambda: [D()] * 2, ch(lambda p: p.pop()))


class Blocks(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for _ in range(2):
            self.blocks.append(D())
        self.by_name = {}
        self.by_name["x"] = [D()]

    def call(self, x):
        for layer in [*self.blocks, *self.by_name["x"]]:
            x = layer(x)
        return x


m = Blocks()
m.compile("sgd", "mse")
m.fit(tf.ones((2, 2)), tf.zeros((2, 2)), verbose=0)
print(len(m.weights), [bool((one.numpy() != 1).any()) for one in m.weights])
print(m.blocks == m.blocks[:], isinstance(m.blocks, list), isinstance(m.by_name, dict), len(copy.copy(m.blocks)), len(m.blocks + []))
