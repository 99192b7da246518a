"""Constraints of variables, a function of Python each, behind an update."""


def bring_back(variables):
    """Assigns updated variables what their constraints make of them; of several replicas once, when all have updated."""
    from . import distribute
    kept = [one for one in variables if getattr(one, "constraint", None) is not None]
    if not kept:
        return

    def assign(*_):
        for one in kept:
            one.assign(one.constraint(one.value()))
    context = distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        assign()
    else:
        context.merge_call(assign)
