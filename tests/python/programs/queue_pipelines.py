# five threads on one session at a server; queue runner; coordinator
import tensorflow as tf, numpy as np, threading
v1=tf.compat.v1
v1.disable_eager_execution()
v=v1.get_variable("v",[],initializer=v1.zeros_initializer()); add=v1.assign_add(v,1.0,use_locking=True)
sub=v.assign_sub(0.5); 
with v1.Session() as s:
    s.run(v1.global_variables_initializer())
    ts=[threading.Thread(target=lambda:[s.run(add) for _ in range(100)]) for _ in range(5)]
    [t.start() for t in ts]; [t.join() for t in ts]
    print(s.run(v)); s.run([sub,add]); print(s.run(v))
# run multiple fetches of the same var updates
a=v1.assign(v,10.); 
with v1.Session() as s:
    s.run(v1.global_variables_initializer())
    with tf.control_dependencies([a]): r=tf.identity(v)
    print(s.run([a,r]), s.run(v))
# input pipeline with queue runners
with tf.Graph().as_default():
    q=v1.train.string_input_producer(["f1","f2","f3"],num_epochs=2,shuffle=False)
    k=q.dequeue()
    with v1.Session() as s:
        s.run([v1.global_variables_initializer(),v1.local_variables_initializer()])
        coord=v1.train.Coordinator(); th=v1.train.start_queue_runners(sess=s,coord=coord)
        out=[]
        try:
            while not coord.should_stop(): out.append(s.run(k).decode())
        except tf.errors.OutOfRangeError: print("done",out)
        finally: coord.request_stop()
        coord.join(th)
with tf.Graph().as_default():
    i=v1.train.range_input_producer(5,shuffle=False,num_epochs=1).dequeue()
    b=v1.train.batch([i,i*i],batch_size=2,allow_smaller_final_batch=True)
    with v1.Session() as s:
        s.run(v1.local_variables_initializer()); coord=v1.train.Coordinator(); th=v1.train.start_queue_runners(s,coord)
        try:
            while True: print([x.tolist() for x in s.run(b)])
        except tf.errors.OutOfRangeError: print("end")
        coord.request_stop(); coord.join(th)
with tf.Graph().as_default():
    x=tf.constant(np.arange(12).reshape(6,2),tf.float32)
    b=v1.train.shuffle_batch([x],batch_size=3,capacity=20,min_after_dequeue=2,enqueue_many=True,seed=1)
    with v1.Session() as s:
        coord=v1.train.Coordinator(); th=v1.train.start_queue_runners(s,coord)
        print([s.run(b).shape for _ in range(3)])
        coord.request_stop(); coord.join(th)
with tf.Graph().as_default():
    q=tf.queue.FIFOQueue(2,tf.float32,shapes=[[]]); e=q.enqueue([1.]); d=q.dequeue(); sz=q.size()
    with v1.Session() as s:
        s.run(e); s.run(e)
        try: s.run(e,options=v1.RunOptions(timeout_in_ms=200))
        except tf.errors.DeadlineExceededError as x: print("deadline")
        print(s.run(sz)); s.run(d); s.run(d)
        try: s.run(d,options=v1.RunOptions(timeout_in_ms=200))
        except tf.errors.DeadlineExceededError as x: print("deadline")
    cfg=v1.ConfigProto(operation_timeout_in_ms=200)
    with v1.Session(config=cfg) as s:
        try: s.run(d)
        except tf.errors.DeadlineExceededError as x: print("deadline")
