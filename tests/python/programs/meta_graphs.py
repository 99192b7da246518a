import tensorflow as tf, os
v1 = tf.compat.v1

v1.disable_eager_execution()
os.makedirs('mgd', exist_ok=True)
g = tf.Graph()
with g.as_default():
    x = v1.placeholder(tf.float32, [None, 2], name='x')
    with v1.variable_scope('layer'):
        w = v1.get_variable('w', initializer=tf.constant([[1.], [2.]]))
        b = v1.get_variable('b', initializer=0.5, trainable=False)
    y = tf.add(tf.matmul(x, w), b, name='y')
    gs = v1.train.get_or_create_global_step()
    loss = tf.reduce_mean(y, name='loss')
    train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=gs, name='train')
    v1.add_to_collection('outputs', y); v1.add_to_collection('train_op', train); v1.add_to_collection('note', 7)
    saver = v1.train.Saver()
    init = v1.global_variables_initializer()
    with v1.Session() as s:
        s.run(init)
        for _ in range(3): s.run(train, {x: [[1., 1.]]})
        p = saver.save(s, 'mgd/m', global_step=gs)
        print(os.path.basename(p), sorted(os.listdir('mgd')))
        print(s.run(y, {x: [[1., 1.]]}))
with tf.Graph().as_default() as h:
    saver = v1.train.import_meta_graph(p + '.meta')
    print([v.name for v in v1.global_variables()], [v.name for v in v1.trainable_variables()])
    print([t.name for t in v1.get_collection('outputs')], v1.get_collection('note'), [t.name for t in v1.get_collection('train_op')])
    with v1.Session() as s:
        saver.restore(s, p)
        out = h.get_tensor_by_name('y:0'); xx = h.get_tensor_by_name('x:0')
        print(s.run(out, {xx: [[1., 1.]]}))
        t = h.get_operation_by_name('train')
        for _ in range(2): s.run(t, {'x:0': [[1., 1.]]})
        print(s.run('y:0', {'x:0': [[1., 1.]]}), s.run(v1.global_variables()[2]))
        s.run(v1.global_variables_initializer()); print(s.run(['y:0'], {'x:0': [[1., 1.]]}))
        new = out * 2.0; print(s.run(new, {xx: [[0., 1.]]}))
        print(os.path.basename(saver.save(s, 'mgd/n')))
with tf.Graph().as_default() as h:
    saver = v1.train.import_meta_graph(p + '.meta', import_scope='old')
    print([v.name for v in v1.global_variables()], [t.name for t in v1.get_collection('outputs')])
try: v1.train.import_meta_graph('none.meta')
except OSError as e: print('OSError')
md = v1.train.export_meta_graph(graph=g)
print(sorted(md.collection_def.keys()), len(md.graph_def.node) > 10)
with tf.Graph().as_default():
    print(v1.train.import_meta_graph(v1.train.export_meta_graph()))
