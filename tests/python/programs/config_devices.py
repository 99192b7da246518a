import tensorflow as tf
cpus = tf.config.list_physical_devices("CPU")
print(cpus)
print(tf.config.list_physical_devices("GPU"), len(tf.config.get_visible_devices("CPU")))
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
print(tf.config.list_logical_devices("CPU"))
print(len(tf.config.experimental.list_physical_devices("CPU")), len(tf.config.experimental.list_logical_devices("CPU")))
try:
    tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()])
except RuntimeError as e:
    print("RuntimeError", e)
print(tf.config.get_soft_device_placement())
tf.config.set_soft_device_placement(True)
tf.config.run_functions_eagerly(True); print(tf.config.functions_run_eagerly())
@tf.function
def f(x):
    print("python side effect")
    return x + 1
f(tf.constant(1)); f(tf.constant(1))
tf.config.run_functions_eagerly(False)
f(tf.constant(2)); f(tf.constant(3))
print(tf.config.optimizer.get_jit() in ("", False), tf.executing_eagerly(), tf.test.is_gpu_available() if False else tf.test.is_built_with_cuda())
with tf.device("/CPU:1"):
    a = tf.constant([1.0, 2.0]); v = tf.Variable(2.0)
with tf.device("CPU:0"):
    b = a * 2
print(b.device, b.numpy())
tf.debugging.set_log_device_placement(False)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
print(strategy.extended.worker_devices, strategy.num_replicas_in_sync, strategy.extended.parameter_devices)
with strategy.scope():
    w = tf.Variable(1.0, name="w")
print(w.values[0].name, w.values[1].name, strategy.experimental_local_results(w)[1].numpy())
print(strategy.cluster_resolver)
print(tf.config.threading.get_intra_op_parallelism_threads() >= 0, tf.config.threading.get_inter_op_parallelism_threads() >= 0)
tf.config.experimental.enable_tensor_float_32_execution(False); print(tf.config.experimental.tensor_float_32_execution_enabled())
print(tf.config.experimental.get_synchronous_execution())
tf.config.experimental.enable_op_determinism()
print(tf.test.gpu_device_name() == "", tf.sysconfig.get_build_info().get("is_cuda_build", False) in (True, False))
print(tf.version.VERSION, tf.__version__, tf.version.GIT_VERSION != "")
print(tf.DeviceSpec.from_string("/job:worker/task:1/device:CPU:0").to_string(), tf.DeviceSpec(job="ps", task=0, device_type="CPU", device_index=0).to_string())
spec = tf.DeviceSpec(job="ps"); print(spec.replace(task=3), spec.make_merged_spec(tf.DeviceSpec(device_type="GPU")).to_string(), spec.job)
logger = tf.get_logger(); logger.setLevel("ERROR"); print(logger.name, logger.level)
tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR); print(tf.compat.v1.logging.get_verbosity()); tf.autograph.set_verbosity(0)
