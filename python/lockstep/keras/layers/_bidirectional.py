"""A recurrent layer in both directions."""

from ... import nest, ops_array
from ..._tensor import convert_to_tensor
from .._layer import Layer


class Bidirectional(Layer):
    """A recurrent layer and a second one that goes the other way: `backward_layer`, or one of the same config. With
    `merge_mode=None` gives both results, with the layer's `return_state` also the states of both, the forward layer's first.

    Raises: ValueError for what is no layer, and for layers that do not fit each other."""

    _passes_masks = True

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError("Please initialize `Bidirectional` layer with a `keras.layers.Layer` instance. "
                             f"Received: {layer}")
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(f"`backward_layer` need to be a `keras.layers.Layer` instance. Received: {backward_layer}")
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError(f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                             '{"sum", "mul", "ave", "concat", None}')
        if not hasattr(layer, "go_backwards"):
            raise TypeError(f"`Bidirectional` takes a recurrent layer, which has `go_backwards`; got {layer!r}")
        super().__init__(**kwargs)
        self.forward_layer = _anew(layer, "forward_")
        self.backward_layer = _anew(layer, "backward_", go_backwards=True) if backward_layer is None else backward_layer
        self._require_fitting()
        for one in (self.forward_layer, self.backward_layer):
            if getattr(one, "zero_output_for_mask", None) is not None:
                one.zero_output_for_mask = one.return_sequences
        self.merge_mode = merge_mode
        self.stateful = layer.stateful
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        if weights:
            object.__setattr__(self, "_first_values", weights)

    def _require_fitting(self):
        there, back = self.forward_layer, self.backward_layer
        if there.go_backwards == back.go_backwards:
            raise ValueError("Forward layer and backward layer should have different `go_backwards` value. Received: "
                             f"forward_layer.go_backwards {there.go_backwards}, backward_layer.go_backwards={back.go_backwards}")
        for name in ("stateful", "return_sequences", "return_state"):
            first, second = getattr(there, name), getattr(back, name)
            if first != second:
                raise ValueError("Forward layer and backward layer are expected to have the same value for attribute "
                                 f'"{name}", got "{first}" for forward layer and "{second}" for backward layer')

    def build(self, sequences_shape, initial_state_shape=None):
        for one in (self.forward_layer, self.backward_layer):
            if not one.built:
                one.build(sequences_shape)
        if "_first_values" in self.__dict__:
            self.set_weights(self.__dict__.pop("_first_values"))
        object.__setattr__(self, "built", True)

    def compute_mask(self, inputs, mask=None):
        first = nest.flatten(mask)[0] if mask is not None else None
        kept = first if self.return_sequences else None
        results = [kept, kept] if self.merge_mode is None else [kept]
        if self.return_state:
            return results + [None] * (2 * len(nest.flatten(self.forward_layer.state_size)))
        return results if self.merge_mode is None else kept

    def call(self, sequences, initial_state=None, mask=None, training=False):
        sequences, *states = nest.flatten(sequences) if isinstance(sequences, (list, tuple)) else [sequences]
        states += nest.flatten([] if initial_state is None else initial_state)
        half = len(states) // 2
        there = self._one_way(self.forward_layer, sequences, states[:half], mask, training)
        back = self._one_way(self.backward_layer, sequences, states[half:], mask, training)
        kept = []
        if self.return_state:
            (there, *kept), (back, *more) = there, back
            kept += more
        if self.return_sequences:
            back = ops_array.reverse(back, [1])
        made = self._merged(self._computing(there), self._computing(back))
        results = made if isinstance(made, tuple) else (made,)
        return results + tuple(kept) if self.return_state or self.merge_mode is None else made

    def _one_way(self, layer, sequences, states, mask, training):
        known = layer._call_parameters()
        given = {"training": training} if "training" in known else {}
        if "mask" in known and mask is not None:
            given["mask"] = convert_to_tensor(nest.flatten(mask)[0])
        if states:
            given["initial_state"] = states
        return layer(sequences, **given)

    def _merged(self, there, back):
        if self.merge_mode == "concat":
            return ops_array.concat([there, back], -1)
        if self.merge_mode == "mul":
            return there * back
        if self.merge_mode is None:
            return there, back
        return there + back if self.merge_mode == "sum" else (there + back) / 2

    states = property(lambda self: None if not self.stateful else tuple(
        [*nest.flatten(self.forward_layer.states), *nest.flatten(self.backward_layer.states)]))

    def reset_states(self):
        """Sets the states that are kept between batches back to zero."""
        for one in (self.forward_layer, self.backward_layer):
            one.reset_state()

    reset_state = reset_states

    def get_config(self):
        from .. import saving
        return {**super().get_config(), "merge_mode": self.merge_mode, "layer": saving.serialize_keras_object(self.forward_layer),
                "backward_layer": saving.serialize_keras_object(self.backward_layer)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The layer that `get_config` describes."""
        from .. import saving
        layers = {key: saving.deserialize_keras_object(config[key], custom_objects) for key in ("layer", "backward_layer")
                  if config.get(key) is not None}
        return cls(**{**config, **layers})


def _anew(layer, prefix, **changes):
    """A layer of the same config with weights of its own."""
    from .. import _resolution, saving
    with _resolution.copying():
        described = saving.serialize_keras_object(layer)
        described.pop("build_config", None)
        described["config"] = {**described["config"], **changes, "name": prefix + layer.name.removeprefix(prefix)}
        return saving.deserialize_keras_object(described)


