import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
graph = tf.Graph()
with graph.as_default():
    final = None
    step = tf.train.create_global_step()
    x = tf.get_variable("x", initializer=5.0)
    loss = tf.square(x)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=step)

    class Log(tf.train.SessionRunHook):
        def begin(self):
            print("begin")

        def after_create_session(self, session, coord):
            print("created", session.run(step))

        def before_run(self, run_context):
            return tf.train.SessionRunArgs({"loss": loss})

        def after_run(self, run_context, run_values):
            print("loss", round(float(run_values.results["loss"]), 4))
            if run_values.results["loss"] < 3:
                run_context.request_stop()

        def end(self, session):
            print("end", session.run(step))

    with tf.train.MonitoredTrainingSession(checkpoint_dir="ck", save_checkpoint_steps=2, hooks=[Log()],
                                           log_step_count_steps=None, save_summaries_steps=None) as sess:
        while not sess.should_stop():
            sess.run(train_op)
    print(tf.train.latest_checkpoint("ck"))
    with tf.train.MonitoredTrainingSession(checkpoint_dir="ck", hooks=[tf.train.StopAtStepHook(num_steps=2)],
                                           save_checkpoint_secs=None, log_step_count_steps=None) as sess:
        print("resumed", sess.run(step))
        while not sess.should_stop():
            _, s = sess.run([train_op, step])
    print(int(s) >= 7)
    nan = tf.train.NanTensorHook(tf.constant(float("nan")))
    try:
        with tf.train.MonitoredSession(hooks=[nan]) as sess:
            sess.run(train_op)
    except tf.train.NanLossDuringTrainingError as e:
        print("NanLossDuringTrainingError")
    with tf.train.SingularMonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
        while not sess.should_stop():
            sess.run(train_op)
        print(sess.raw_session() is not None)
    with tf.train.MonitoredSession() as sess:
        def step_fn(step_context):
            value = step_context.session.run(x)
            step_context.request_stop()
            return value
        print(sess.run_step_fn(step_fn), sess.should_stop())
    assign = x.assign(42.0)
    scaffold = tf.train.Scaffold(init_fn=lambda sc, s: s.run(assign))
    with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
        print(sess.run(x))
    try:
        with tf.train.MonitoredTrainingSession() as sess:
            raise ValueError("mine")
    except ValueError as e:
        print(e)
    try:
        with tf.train.MonitoredTrainingSession() as sess:
            raise tf.errors.OutOfRangeError(None, None, "end of data")
        print("swallowed")
    except tf.errors.OutOfRangeError:
        print("raised")
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    print([timer.should_trigger_for_step(i) for i in (0, 1)], timer.update_last_triggered_step(0),
          [timer.should_trigger_for_step(i) for i in (2, 3)])

    class Feed(tf.train.SessionRunHook):
        def before_run(self, ctx):
            return tf.train.SessionRunArgs(ctx.original_args.fetches)
    with tf.train.MonitoredSession(hooks=[Feed(), tf.train.FinalOpsHook(x + 1)]) as sess:
        print(sess.run({"x": x, "both": [x, loss]}))
