import tensorflow as tf

v1 = tf.compat.v1
config = v1.ConfigProto(allow_soft_placement=True, log_device_placement=False, device_count={"CPU": 2},
                        device_filters=["/job:ps", "/job:worker/task:0"], inter_op_parallelism_threads=2,
                        gpu_options={"visible_device_list": "0"})
config.intra_op_parallelism_threads = 1
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.5
config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
config.graph_options.rewrite_options.disable_meta_optimizer = True
config.operation_timeout_in_ms = 5000
print(config)
print(list(config.device_filters), config.HasField("gpu_options"), config.HasField("rpc_options"), config.use_per_session_threads,
      config.isolate_session_state, type(config).__name__)
other = v1.ConfigProto()
other.CopyFrom(config)
print(other == config, v1.ConfigProto.FromString(config.SerializeToString()) == config, other.ByteSize() > 0)
other.ClearField("gpu_options")
print(other.HasField("gpu_options"), other == config)
other.Clear()
print(repr(str(other)), other == v1.ConfigProto())
other.MergeFrom(v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True)))
other.MergeFrom(v1.ConfigProto(gpu_options=v1.GPUOptions(per_process_gpu_memory_fraction=1.0)))
print(other)
print(v1.GraphOptions(infer_shapes=True, optimizer_options=v1.OptimizerOptions(do_function_inlining=True)))
options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, timeout_in_ms=1000)
print(options, options.trace_level, v1.RunOptions.SOFTWARE_TRACE)
for wrong in (lambda: v1.ConfigProto(nonsense=1), lambda: setattr(config, "nonsense", 1), lambda: v1.Session("http://localhost:1")):
    try:
        print(wrong())
    except (AttributeError, TypeError, ValueError, tf.errors.NotFoundError) as error:
        print(type(error).__name__)
with tf.Graph().as_default(), v1.Session(config=config) as session:
    print(session.run(tf.constant(2) * 3, options=options))
server = tf.distribute.Server({"worker": ["localhost:0"]}, config=v1.ConfigProto(inter_op_parallelism_threads=3), start=False)
print(server.server_def.default_session_config, server.server_def.job_name)
print(tf.distribute.Server.create_local_server().target.startswith("grpc://localhost:"))
