import tensorflow as tf, numpy as np
v1=tf.compat.v1
print(v1.errors.OpError is v1.OpError, isinstance(v1.VERSION,str), isinstance(v1.GIT_VERSION,str), v1.GraphOptions is not None)
v1.disable_eager_execution()
with tf.Graph().as_default() as g:
    a=v1.get_variable("a",initializer=[1.,2.,3.]); 
    with v1.container("exp0"): b=tf.Variable(1.,name="b")
    with v1.colocate_with(a): c=tf.constant(2.)*3.
    print(isinstance(tf.queue.FIFOQueue(1,tf.int32,[()]),v1.QueueBase))
    i=v1.initialize_variables([a]); cu=v1.count_up_to(v1.get_variable("n",initializer=0),3)
    out,idx=v1.setdiff1d([1,2,3,4],[2,4]); print(v1.resource_variables_enabled())
    cl=v1.clip_by_average_norm(tf.constant([3.,4.]),1.0)
    print(v1.is_numeric_tensor(a+1), v1.dimension_value(a.shape[0]), v1.dimension_at_index(a.shape,0))
    with v1.Session(config=v1.ConfigProto(graph_options=v1.GraphOptions(optimizer_options=v1.OptimizerOptions(opt_level=v1.OptimizerOptions.L0)))) as s:
        s.run(v1.global_variables_initializer()); s.run(i); print(s.run(a), s.run([out,idx]), s.run(cl), s.run(c))
        print([int(s.run(cu)) for _ in range(3)])
        try: s.run(cu)
        except tf.errors.OutOfRangeError as e: print("OutOfRange")
    print(tf.AggregationMethod.ADD_N, v1.AggregationMethod.DEFAULT)
    gr=tf.gradients(tf.reduce_sum(a*a),[a],aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N)[0]
    with v1.Session() as s: s.run(v1.global_variables_initializer()); print(s.run(gr))
w=v1.python_io.TFRecordWriter("r.tfrecord"); w.write(b"one"); w.write(b"two"); w.close(); print(list(v1.python_io.tf_record_iterator("r.tfrecord")))
open("l.txt","w").write("x1\nx2\n"); import os
with tf.Graph().as_default():
    q=v1.train.string_input_producer(["l.txt"],num_epochs=1,shuffle=False); r=v1.TextLineReader(); k,v=r.read(q)
    q2=v1.train.string_input_producer(["l.txt"],num_epochs=1,shuffle=False); k2,v2=v1.WholeFileReader().read(q2)
    q3=v1.train.string_input_producer(["r.tfrecord"],num_epochs=1,shuffle=False); k3,v3=v1.TFRecordReader().read(q3)
    with v1.Session() as s:
        s.run(v1.local_variables_initializer()); co=v1.train.Coordinator(); th=v1.train.start_queue_runners(s,co)
        print(s.run([k,v]),s.run(v)); print(s.run(v2)); print(s.run(v3),s.run(v3))
        try: s.run(v)
        except tf.errors.OutOfRangeError: print("end")
        co.request_stop(); co.join(th)
