"""Low-rank adaptation (LoRA) of a layer's matrix: the matrix stays as it is, and a product of two small ones is trained.

A matrix W [rows, columns] becomes W + alpha / rank * A B with A [rows, rank] and B [rank, columns]. B begins with zeros, so
that enabling changes no result. A layer that is adapted is computed op by op, because the native layer has no A and B."""

from .. import initializers
from .._layer import Layer


class LowRank:
    """The part of a native layer that adapts its matrix, `_adapted_weight`, in a low rank."""

    _adapted_weight = "kernel"
    lora_enabled = False

    def _set_lora(self, rank, alpha):
        """Keeps the rank, which enables the adaptation when the layer is built. Raises: ValueError for a wrong rank."""
        if rank is not None and (not isinstance(rank, int) or rank <= 0):
            raise ValueError(f"`lora_rank` must be a positive integer or None; got {rank!r}")
        self.lora_rank, self.lora_alpha = rank, rank if alpha is None else alpha
        if rank:
            self._python_parts = ["lora"]  # training goes op by op

    def enable_lora(self, rank, lora_alpha=None, a_initializer="he_uniform", b_initializer="zeros"):
        """Adapts the matrix in this rank from now on.

        Raises: ValueError for a layer that is not built, is adapted already, or constrains its matrix."""
        if not self.built or self._impl_layer is None or not self._impl.built:
            raise ValueError("Cannot enable lora on a layer that isn't yet built.")
        if self.lora_enabled:
            raise ValueError("lora is already enabled. This can only be done once per layer.")
        self._set_lora(rank, lora_alpha)
        self._add_parts(rank, a_initializer, b_initializer)

    def _add_parts(self, rank, a_initializer="he_uniform", b_initializer="zeros"):
        name = self._adapted_weight
        if getattr(self, f"{name}_constraint", None) is not None:
            raise ValueError(f"Lora is incompatible with {name} constraints. In order to enable lora on this layer, remove the "
                             f"`{name}_constraint` argument.")
        matrix = getattr(self, name)
        regularizer = getattr(self, f"{name}_regularizer", None)
        for part, shape, initializer in (("a", (matrix.shape[0], rank), a_initializer),
                                         ("b", (rank, matrix.shape[1]), b_initializer)):
            setattr(self, f"lora_{name}_{part}", self.add_weight(
                shape, initializers.get(initializer), "float32", regularizer=regularizer, name=f"lora_{name}_{part}"))
        matrix.trainable = False
        self.lora_enabled = True

    def _run(self, inputs, training):
        if self.lora_rank and not self.lora_enabled:
            super()._run(inputs, training)  # makes the weights
            self._add_parts(self.lora_rank)
        return self._run_adapted(inputs[0]) if self.lora_enabled else super()._run(inputs, training)

    def _penalties(self):
        made = super()._penalties()
        if not self.lora_enabled:
            return made
        fixed = self.__dict__["_wrapped"]
        kept = [one for one in made if getattr(fixed.get(one[0]._v.key), "trainable", True)]
        return kept + Layer._penalties(self)  # of the two small matrices, which are weights of the Python layer

    def _adapted(self):
        """The matrix with its adaptation, in the dtype of the computation."""
        from ... import ops_math
        name = self._adapted_weight
        parts = [self.__dict__[f"lora_{name}_{part}"].value() for part in "ab"]
        matrix = super().__getattr__(name)
        scale = float(self.lora_alpha) / self.lora_rank
        made = ops_math.cast(matrix.value(), "float32") + scale * ops_math.matmul(*parts)
        return ops_math.cast(made, self._compute_dtype)

    def __getattr__(self, name):
        if self.__dict__.get("lora_enabled") and name == self._adapted_weight:
            return self._adapted()
        return super().__getattr__(name)
