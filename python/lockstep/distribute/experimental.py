"""Names that TensorFlow keeps under `experimental`."""

import enum

from ..errors import UnimplementedError


def __getattr__(name):
    from .. import distribute
    if name in ("CentralStorageStrategy", "MultiWorkerMirroredStrategy", "ParameterServerStrategy",
                "ValueContext"):
        return getattr(distribute, name)
    if name in ("PreemptionCheckpointHandler", "TerminationConfig"):
        from . import _preemption
        return getattr(_preemption, name)
    if name in ("coordinator", "partitioners"):
        return getattr(distribute, name)
    raise AttributeError(name)


class CommunicationImplementation(enum.Enum):
    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


class CommunicationOptions:
    """Taken and without effect: sums go by the canonical tree."""

    def __init__(self, bytes_per_pack=0, timeout_seconds=None,
                 implementation=CommunicationImplementation.AUTO):
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if not isinstance(implementation, CommunicationImplementation):
            try:
                implementation = CommunicationImplementation(str(implementation).upper())
            except ValueError:
                kinds = ", ".join(one.value for one in CommunicationImplementation)
                raise ValueError(f"Argument `implementation` must be instance of `tf.distribute.experimental."
                                 f"CommunicationImplementation` ({kinds}); got {implementation!r}") from None
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation

    def __repr__(self):
        return (f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
                f"implementation={self.implementation})")


CollectiveHints = CommunicationOptions


class TPUStrategy:
    def __init__(self, *_, **__):
        raise UnimplementedError(None, None, "[TPUStrategy] there are no such devices here")
