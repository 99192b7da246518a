"""Iterators of version 1 that handles name: the graph keeps those that the program does not."""
import gc

import tensorflow as tf

v1 = tf.compat.v1
with tf.Graph().as_default():
    ds = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    handle = v1.placeholder(tf.string, [])
    types, shapes = v1.data.get_output_types(ds), v1.data.get_output_shapes(ds)
    following = v1.data.Iterator.from_string_handle(handle, types, shapes).get_next()
    either = v1.data.Iterator.from_structure(types, shapes)
    element, whole, one = either.get_next(), either.make_initializer(ds), either.make_initializer(ds.take(1))
    with v1.Session() as session:
        text = session.run(v1.data.make_one_shot_iterator(ds.skip(1)).string_handle())
        first = session.run(v1.data.make_one_shot_iterator(ds).string_handle())
        gc.collect()
        print(session.run(following, {handle: text}), session.run(following, {handle: first}), session.run(following, {handle: text}))
        try:
            session.run(following, {handle: text})
        except tf.errors.OutOfRangeError as error:
            print("End of sequence" in str(error))
        print(session.run(following, {handle: first}))
        session.run(whole)
        print(session.run(element), session.run(element))
        session.run(one)
        print(session.run(element))
