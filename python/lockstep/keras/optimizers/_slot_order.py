"""The order in which Keras lists an optimizer's slots."""


def stages_of(variables):
    """Pairs (stage, slot): Keras makes the slots of a stage for all weights before those of the next one; in a stage
    they stand weight by weight. `variables`: the slots weight by weight."""
    before, made = "", []
    for one in variables:
        name = one._v.name
        late = name.endswith("_velocity_hat") or (
            name.endswith("_momentum") and before == name.removesuffix("momentum") + "velocity")
        stage = 0 if name.endswith("_average") else 1 if name.endswith("_gradient_accumulator") else \
            3 if late else 4 if name.endswith("_average_gradient") else 2
        made.append((stage, one))
        before = name
    return made


def by_stage(variables):
    """The slots in Keras's order."""
    return [one for _, one in sorted(stages_of(variables), key=lambda pair: pair[0])]
