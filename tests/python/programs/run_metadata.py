import tensorflow as tf, json
from tensorflow.python.client import timeline, device_lib
v1=tf.compat.v1
v1.disable_eager_execution()
print([d.device_type for d in device_lib.list_local_devices()], device_lib.list_local_devices()[0].name)
a=v1.placeholder(tf.float32,[None,2],name="a"); w=v1.get_variable("w",[2,2]); y=tf.matmul(a,w,name="mm")
with v1.Session() as s:
    s.run(v1.global_variables_initializer())
    md=v1.RunMetadata(); s.run(y,{a:[[1,2]]},options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE),run_metadata=md)
    names=[n.node_name for d in md.step_stats.dev_stats for n in d.node_stats]; print("mm" in names, all(n.all_end_rel_micros>=0 for d in md.step_stats.dev_stats for n in d.node_stats))
    t=json.loads(timeline.Timeline(md.step_stats).generate_chrome_trace_format()); print(sorted(t), any(e.get("args",{}).get("name")=="mm" for e in t["traceEvents"]))
    md=v1.RunMetadata(); s.run(y,{a:[[1,2]]},options=v1.RunOptions(output_partition_graphs=True),run_metadata=md)
    print(len(md.partition_graphs), any("MatMul" in n.op for g in md.partition_graphs for n in g.node))
    md=v1.RunMetadata(); s.run(y,{a:[[1,2]]},run_metadata=md); print(len(md.partition_graphs))
