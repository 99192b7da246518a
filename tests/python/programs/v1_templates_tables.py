import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def fails(what):
    try:
        print("no error", what())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split("\n")[0][:110])


def weight(name="w"):
    return (tf.constant(1.0) + v1.get_variable(name, [1])).name


with v1.Graph().as_default():
    with v1.variable_scope("foo") as foo:
        for name in "ab":
            with v1.variable_scope(None, default_name="bar"):
                print(v1.get_variable(name, [1]).name, end=" ")
    with v1.variable_scope(foo):
        for name in "cd":
            with v1.variable_scope(None, default_name="bar"):
                print(v1.get_variable(name, [1]).name, end=" ")
    with v1.variable_scope("foo"):
        with v1.variable_scope("bar"):
            print(v1.get_variable("e", [1]).name, end=" ")
        with v1.variable_scope(None, default_name="bar") as last:
            print(v1.get_variable("f", [1]).name, last.original_name_scope)
    for _ in range(2):
        with v1.variable_scope(None, default_name="foo"):
            print(v1.get_variable("g", [1]).name, end=" ")
    with v1.variable_scope("deep/er") as deep:
        print(weight(), deep.name, deep.original_name_scope)
    with v1.variable_scope("c"):
        with v1.variable_scope(deep, reuse=True) as again:
            print(weight(), again.name, again.original_name_scope)
        with v1.variable_scope("d") as d:
            print(weight(), d.name, d.original_name_scope)
        with v1.variable_scope("d", reuse=True) as d:
            print(weight(), d.name, d.original_name_scope)
    with v1.variable_scope("plain", auxiliary_name_scope=False) as plain:
        print(weight(), repr(plain.name), repr(plain.original_name_scope))

with v1.Graph().as_default():
    def scaled(x, name):
        return x * v1.get_variable(name, [], initializer=v1.constant_initializer(2.0))

    t = v1.make_template("t", scaled, name="k")
    print(t.name, t.variable_scope, t.variables)
    print(t(tf.constant(1.0)).name, t(tf.constant(2.0)).name, [one.name for one in t.variables], t.variable_scope.name,
          [one.name for one in t.trainable_variables], t.local_variables, t.non_trainable_variables)
    u = v1.make_template("t", scaled, name="k")
    print(u(tf.constant(1.0)).name, u.variables[0].name)
    fails(lambda: v1.make_template("t", scaled, unique_name_="t", name="k")(tf.constant(1.0)))
    made = v1.make_template("now", scaled, create_scope_now_=True, name="k")
    print(made.variable_scope.name, made(tf.constant(1.0)).name, made.variables[0].name)
    fails(lambda: v1.make_template(None, scaled))

with v1.variable_scope("eager"):
    print(v1.get_variable("v", [1]).name)
with tf.name_scope("scope"):
    print(v1.get_variable("v", [1]).name, tf.Variable(1.0).name)

for eager in (False, True):
    with tf.init_scope() if eager else v1.Graph().as_default():
        value = (lambda x: x.numpy()) if eager else (lambda x: v1.Session().run(x))
        print(value(v1.constant_initializer([5])([2, 2])), value(v1.constant_initializer(np.ones([2, 2]))([4])),
              value(v1.constant_initializer(True)([2])))
        if not eager:
            print(value(v1.constant_initializer([1, 2, 3])([2, 4])), value(v1.constant_initializer([])([2])))
            fails(lambda: v1.constant_initializer([1, 2, 3])([2]))
            fails(lambda: v1.constant_initializer([1, 2, 3], verify_shape=True)([3, 1]))
            fails(lambda: v1.constant_initializer(2, verify_shape=True)([2]))
        fails(lambda: v1.constant_initializer({1}))
for name in ("zeros_initializer", "orthogonal_initializer", "glorot_normal_initializer"):
    config = getattr(v1, name)().get_config()
    print(config, type(getattr(v1, name).from_config(config)).__name__ != "")

with v1.Graph().as_default():
    table = v1.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2])), -1)
    found = table.lookup(tf.constant(["b", "c"]))
    words = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["p", "q"], tf.constant([0, 1], tf.int64)), 2)
    doubled = tf.data.Dataset.range(3).map(lambda x: v1.py_func(lambda a: a * 2, [x], tf.int64))
    element = v1.data.make_one_shot_iterator(doubled).get_next()
    given = v1.placeholder_with_default([1.0, 2.0], None)
    with v1.Session() as session:
        session.run(v1.tables_initializer())
        session.run(table.initializer)
        print(session.run(found), session.run(table.size()), session.run(words.lookup(tf.constant(["q", "p"]))))
        print([session.run(element) for _ in range(3)], session.run(given * 2))
