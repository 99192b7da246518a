"""SavedModel: TensorFlow's folder of a graph, its variables and its objects, written and read.

Terms. A *SavedModel* is a folder with `saved_model.pb`, `variables/` (a checkpoint) and `assets/`. The *library* holds functions, each
a `FunctionDef`: a list of nodes with inputs and outputs. The *object graph* holds what the program had: variables, functions, modules,
lists, dicts, as numbered nodes with named children; node 0 is the object that was saved. A *signature* is a function for serving, with
names for its inputs and outputs.

Writing (`_write`): `_objects` numbers what the object holds; `_traces` traces each function into Lockstep's graph; `_translate` and
`_rules` turn that graph's ops into TensorFlow's; `_graphs` adds the nodes that TensorFlow Serving runs.
Reading (`_read`): `_files` checks the files; `_restored` makes the objects again; `_calls` interprets the functions' nodes while a
function of Lockstep is traced, with the ops in `_ops`. Nothing of a file is run but such nodes."""
