"""All variables of a model as dicts in dicts, by the parts of their paths."""

_KINDS = ("trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables")
_FORMATS = {"backend_tensor": lambda one: one.value(), "numpy_array": lambda one: one.numpy()}


def _variables(model, kind):
    if kind == "optimizer_variables":
        optimizer = getattr(model, "optimizer", None)
        return [] if optimizer is None else optimizer.variables
    return getattr(model, kind)


def _nested(variables, read):
    made, seen = {}, set()
    for one in variables:
        if one.path in seen:
            raise ValueError(f"The following variable path is found twice in the model: '{one.path}'. `get_state_tree()` can only "
                             "be called when all variable paths are unique. Make sure to give unique names to your layers (and "
                             "other objects).")
        seen.add(one.path)
        *parts, last = one.path.split("/")
        inner = made
        for part in parts:
            inner = inner.setdefault(part, {})
        inner[last] = read(one)
    return made


def _flat(tree, path=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}/")
        else:
            yield path + key, value


def state_tree(model, value_format):
    """{kind of variables: {part of a path: ... value}}. Raises: ValueError for another format, or a path of two variables."""
    if value_format not in _FORMATS:
        raise ValueError("Invalid `value_format` argument. Expected one of {'numpy_array', 'backend_tensor'}. Received: "
                         f"value_format={value_format}")
    return {kind: _nested(_variables(model, kind), _FORMATS[value_format]) for kind in _KINDS}


def assign_state_tree(model, tree):
    """Assigns what `state_tree` has given; paths that the model lacks are left out. Raises: ValueError for another kind."""
    for kind, values in tree.items():
        if kind not in _KINDS:
            raise ValueError(f"Unknown variable name: {kind}")
        variables = {one.path: one for one in _variables(model, kind)}
        for path, value in _flat(values):
            if path in variables:
                variables[path].assign(value)
