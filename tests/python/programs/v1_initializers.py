import tensorflow as tf, numpy as np
v1 = tf.compat.v1
v1.disable_eager_execution()
for init in (v1.random_uniform_initializer(seed=1), v1.random_uniform_initializer(-1., 1., seed=1), v1.random_normal_initializer(seed=2), v1.truncated_normal_initializer(stddev=0.1, seed=3), v1.glorot_uniform_initializer(seed=4), v1.orthogonal_initializer(seed=5), v1.variance_scaling_initializer(seed=6)):
    w = v1.get_variable("w%d" % len(v1.global_variables()), [2, 2], initializer=init)
v1.set_random_seed(7)
for init in (v1.random_uniform_initializer(seed=1), v1.random_normal_initializer(), v1.glorot_uniform_initializer(), None):
    w = v1.get_variable("w%d" % len(v1.global_variables()), [2, 2], initializer=init)
tf.Variable(tf.random.normal([2], seed=1)); tf.Variable(v1.truncated_normal([2], stddev=.1)); 
with v1.Session() as s:
    s.run(v1.global_variables_initializer())
    for v in v1.global_variables(): print(v.name, s.run(v).ravel().round(4))
    print(s.run(v1.random_uniform([2], seed=3)))
l = v1.summary.scalar("loss", tf.constant(0.5)); h = v1.summary.histogram("h", tf.constant([1., 2.])); m = v1.summary.merge_all()
with v1.Session() as s:
    for b in s.run([l, h, m]):
        sm = v1.Summary.FromString(b); print([(x.tag, x.simple_value, x.histo.num) for x in sm.value])
    sm = v1.Summary(value=[v1.Summary.Value(tag="x", simple_value=2.0)]); print(sm.value[0].tag, sm)
    fw = v1.summary.FileWriter("fw", s.graph); fw.add_summary(sm, 3); fw.add_summary(s.run(m), global_step=4); fw.close()
