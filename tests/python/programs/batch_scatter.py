import tensorflow as tf
m = tf.Variable([[1,2],[3,4]]); print(m.batch_scatter_update(tf.IndexedSlices(tf.constant([[9],[8]]), tf.constant([[0],[1]]))).numpy())
m = tf.Variable(tf.zeros([2,3,2])); print(m.batch_scatter_update(tf.IndexedSlices(tf.ones([2,2,2]), tf.constant([[0,2],[1,0]]))).numpy())
v = tf.Variable([1., 2., 3.]); print(v.batch_scatter_update(tf.IndexedSlices(tf.constant([7., 8.]), tf.constant([2, 0]))).numpy())
v = tf.Variable([[1,2],[3,4]]); print(tf.compat.v1.batch_scatter_update(v, [[1],[0]], [[5],[6]]).numpy())
print(tf.distribute.RunOptions(), tf.distribute.InputOptions(experimental_prefetch_to_device=False) if False else tf.distribute.InputOptions(experimental_fetch_to_device=False))
