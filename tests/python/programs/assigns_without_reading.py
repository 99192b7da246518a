import tensorflow as tf

v = tf.Variable([1.0, 2.0])
print(v.assign([3.0, 4.0], read_value=False), v.assign_add([1.0, 1.0], read_value=False), v.assign_sub([1.0, 1.0], read_value=False),
      v.numpy().tolist())


@tf.function
def assigned():
    ops = [v.assign([5.0, 6.0], read_value=False), v.assign_add([1.0, 1.0], read_value=False), v.assign_sub([0.5, 0.5], read_value=False)]
    with tf.control_dependencies(ops):
        return v.read_value()


print(assigned().numpy().tolist())
for resource in (True, False):
    with tf.Graph().as_default():
        x = tf.compat.v1.get_variable("x", initializer=1.0, use_resource=resource)
        five, up, down = x.assign(5.0, read_value=False), x.assign_add(1.0, read_value=False), x.assign_sub(2.0, read_value=False)
        print([(one.name, one.type) for one in (five, up, down)] if resource else "of references")
        with tf.control_dependencies([down]):
            after = x.read_value() + 0.0
        both = tf.group(five)
        with tf.control_dependencies([both]):
            last = tf.identity(x.read_value())
        choice = tf.compat.v1.placeholder(tf.bool, [])

        def one():
            with tf.control_dependencies([up]):
                return x.read_value() + 0.0
        chosen = tf.cond(choice, one, lambda: tf.constant(-1.0))
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(five), float(session.run(x)), session.run(up), float(session.run(x)), float(session.run(after)))
            print(float(session.run(chosen, {choice: True})), float(session.run(chosen, {choice: False})), float(session.run(x)),
                  float(session.run(last)))
