# Resolvers keep the order in which jobs were given.
import tensorflow as tf
c = tf.train.ClusterSpec({'worker': ['a:1', 'b:1'], 'ps': ['p:1'], 'chief': ['c:1']})
print(c.jobs, c, list(c.as_dict()))
r = tf.distribute.cluster_resolver.SimpleClusterResolver(c, task_type='worker', task_id=1)
print(r.cluster_spec().jobs, r.cluster_spec(), r.cluster_spec() is c, r.task_type, r.task_id, r.environment, r.rpc_layer, r.master(), r.master('ps', 0))
import os, json
os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['a:1', 'b:1'], 'ps': ['p:1'], 'chief': ['c:1']}, 'task': {'type': 'ps', 'index': 0}})
t = tf.distribute.cluster_resolver.TFConfigClusterResolver()
print(t.cluster_spec().jobs, t.task_type, t.task_id, t.rpc_layer, t.cluster_spec(), t.master('worker', 1))
u = tf.distribute.cluster_resolver.UnionResolver(r, tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({'eval': ['e:1']}))) if hasattr(tf.distribute.cluster_resolver, 'UnionResolver') else None
print(u and u.cluster_spec())
