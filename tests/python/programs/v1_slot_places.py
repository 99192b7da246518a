import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
cluster = tf.train.ClusterSpec({"ps": ["localhost:1", "localhost:2"], "worker": ["localhost:3"]})
with tf.Graph().as_default() as graph, v1.device(v1.train.replica_device_setter(cluster=cluster)):
    weights = [v1.get_variable(f"w{i}", [2, 2], initializer=v1.zeros_initializer()) for i in range(3)]
    x = v1.placeholder(tf.float32, [None, 2])
    for one in weights:
        x = tf.matmul(x, one)
    with v1.colocate_with(weights[1]):
        beside = tf.constant(1.0)
    loss = tf.reduce_mean(x)
    v1.train.AdamOptimizer().minimize(loss)
    v1.train.MomentumOptimizer(0.1, 0.9, name="Mo").minimize(loss)
for one in graph.get_collection("variables"):
    print(one.name, one.device)
print(beside.device, loss.device)

with tf.Graph().as_default(), v1.Session() as session:
    w = v1.get_variable("w", initializer=[1.0, 2.0])
    u = v1.get_variable("u", [], initializer=v1.ones_initializer())
    x = v1.placeholder_with_default([1.0, 1.0], [2])
    loss = tf.reduce_sum(w * x) * u
    rules = [v1.train.MomentumOptimizer(0.1, 0.9, name="Mo"), v1.train.AdamOptimizer(name="Own"), v1.train.AdagradOptimizer(0.1, name="Ada"),
             v1.train.RMSPropOptimizer(0.1, name="Root"), v1.train.FtrlOptimizer(0.1, name="Fo"), v1.train.AdadeltaOptimizer(name="De")]
    for rule in rules:
        rule.minimize(loss)
        print(rule.get_slot_names(), [one.name for one in rule.variables()])
    print(rules[0].get_slot(w, "momentum").name, rules[0].get_slot(w, "other"))
    for wrong in (lambda: rules[0].compute_gradients(loss, gate_gradients="x"), lambda: rules[0].minimize(tf.constant(1))):
        try:
            print(wrong())
        except ValueError as error:
            print(str(error)[:22])
    print(len(rules[0].compute_gradients(loss, gate_gradients=v1.train.Optimizer.GATE_GRAPH)))
    accumulated = [v1.Variable(tf.zeros_like(one), trainable=False) for one in (w, u)]
    pairs = rules[0].compute_gradients(loss, [w, u])
    add = [one.assign_add(g) for one, (g, _) in zip(accumulated, pairs)]
    step = rules[0].apply_gradients([(one / 2.0, v) for one, v in zip(accumulated, (w, u))])
    session.run(v1.global_variables_initializer())
    for k in range(2):
        session.run(add, {x: [1.0 + k, 2.0]})
    session.run(step)
    print(session.run([w, u, *accumulated]))
    average = tf.train.ExponentialMovingAverage(0.5)
    update = average.apply([w])
    session.run(average.average(w).initializer)
    session.run(w.assign([5.0, 5.0]))
    session.run(update)
    print(session.run(average.average(w)), average.average_name(w))

print(v1.DeviceSpec.from_string("/job:ps").to_string())
spec = v1.DeviceSpec(job="ps")
spec.merge_from(v1.DeviceSpec.from_string("/task:4/cpu:0"))
print(spec.to_string())
print(spec.parse_from_string("/job:x").to_string())
for wrong in ("/cpu:0/gpu:0", "/foo:bar"):
    try:
        print(tf.DeviceSpec.from_string(wrong))
    except ValueError as error:
        print(error)
