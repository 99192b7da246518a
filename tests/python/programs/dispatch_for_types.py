import typing
import tensorflow as tf
E = tf.experimental
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, "!", type(e).__name__)
class M(E.BatchableExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
m = M([1., 4., 9.], [True, False, True])
def s(x): return (x.values.numpy().tolist(), x.mask.numpy().tolist())
t("before", lambda: tf.sqrt(m))
@E.dispatch_for_unary_elementwise_apis(M)
def un(api, x, *a, **k): return M(api(x.values, *a, **k), x.mask)
@E.dispatch_for_binary_elementwise_apis(M, M)
def bi(api, x, y, *a, **k): return M(api(x.values, y.values, *a, **k), x.mask & y.mask)
@E.dispatch_for_binary_elementwise_apis(typing.Union[M, tf.Tensor], tf.Tensor)
def bi2(api, x, y, *a, **k):
    x = x if isinstance(x, M) else M(x, tf.ones_like(x, tf.bool)); y = y if isinstance(y, M) else M(y, tf.ones_like(y, tf.bool))
    return M(api(x.values, y.values, *a, **k), x.mask & y.mask)
t("un", lambda: s(tf.sqrt(m))); t("un2", lambda: s(tf.math.negative(m))); t("un3", lambda: s(tf.nn.relu(m))); t("cast", lambda: s(tf.cast(m, tf.int32))); t("ones", lambda: s(tf.ones_like(m))); t("clip", lambda: s(tf.clip_by_value(m, 2., 3.)))
t("bi", lambda: s(tf.add(m, m))); t("bi2", lambda: s(tf.math.multiply(m, tf.constant(2.0)))); t("kw", lambda: s(tf.add(x=m, y=m))); t("name", lambda: s(tf.add(m, m, name="q")))
@E.dispatch_for_api(tf.concat, {"values": typing.List[M]})
def cc(values, axis, name="c"): return M(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))
t("concat", lambda: s(tf.concat([m, m], 0)))
@E.dispatch_for_api(tf.shape)
def sh(input: M, out_type=tf.int32): return tf.shape(input.values)
t("shape", lambda: tf.shape(m).numpy()); t("shapet", lambda: tf.shape(tf.ones([2, 3])).numpy())
@E.dispatch_for_api(tf.reduce_sum, {"input_tensor": M})
def rs(input_tensor, axis=None, keepdims=False, name=None): return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0.), axis, keepdims)
t("sum", lambda: tf.reduce_sum(m).numpy()); t("sumt", lambda: tf.reduce_sum([1., 2.]).numpy()); t("msum", lambda: tf.math.reduce_sum(m).numpy())
def bad1():
    @E.dispatch_for_api(tf.reduce_sum, {"nope": M})
    def q(input_tensor, axis=None, keepdims=False, name=None): pass
t("bad1", bad1)
def bad2():
    @E.dispatch_for_api(tf.reduce_max, {"input_tensor": M})
    def q(x): pass
t("bad2", bad2)
def bad3():
    @E.dispatch_for_api(lambda x: x, {"x": M})
    def q(x): pass
t("bad3", bad3)
def bad4():
    @E.dispatch_for_api(tf.reduce_max)
    def q(input_tensor, axis=None, keepdims=False, name=None): pass
t("bad4", bad4)
t("graph", lambda: s(tf.function(lambda q: tf.exp(q * 0. if False else tf.add(q, q)))(m)))
E.unregister_dispatch_for(rs); t("unreg", lambda: tf.reduce_sum(m)); t("unreg2", lambda: E.unregister_dispatch_for(rs))
@E.dispatch_for_binary_elementwise_assert_apis(M, M)
def asr(api, x, y): return api(x.values, y.values)
t("assert", lambda: tf.debugging.assert_equal(m, m)); t("assert2", lambda: tf.debugging.assert_less(m, m))
t("plain", lambda: (tf.sqrt(4.0).numpy(), (tf.constant(1) + tf.constant(2)).numpy()))
