"""Names of devices in parts: `tf.DeviceSpec`."""

own_task = ["/job:localhost/replica:0/task:0"]  # this process; a task of a cluster once a strategy over workers was made


def own_device(number=0):
    """The whole name of a device of this process."""
    return f"{own_task[0]}/device:CPU:{number}"


class DeviceSpec:
    """A device, or a part of its name: job, replica, task, device_type, device_index; what is None is open."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job = job
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = None if device_index is None else int(device_index)

    @classmethod
    def from_string(cls, spec):
        """From "/job:worker/task:1/device:CPU:0". Raises: ValueError for what is no part of a name."""
        made = {}
        for part in [one for one in (spec or "").split("/") if one]:
            words = part.split(":")
            kind = words[0].lower()
            if "device_type" in made and kind in ("device", "cpu", "gpu", "tpu"):
                raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
            if kind in ("job", "replica", "task") and len(words) == 2:
                made[kind] = words[1]
            elif kind == "device" and len(words) == 3:
                made["device_type"] = words[1]
                made["device_index"] = None if words[2] == "*" else words[2]
            elif kind in ("cpu", "gpu", "tpu") and len(words) <= 2:
                made["device_type"] = kind
                made["device_index"] = words[1] if len(words) == 2 and words[1] != "*" else None
            else:
                raise ValueError(f"Unknown attribute '{words[0]}' is encountered while parsing the device spec: "
                                 f"'{spec}'.")
        return cls(**made)

    def to_string(self):
        """The name; a type without an index is "device:TYPE:*"."""
        made = "".join(f"/{kind}:{value}" for kind, value in (
            ("job", self.job), ("replica", self.replica), ("task", self.task)) if value is not None)
        if self.device_type is not None:
            made += f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
        return made

    def _parts(self):
        return {"job": self.job, "replica": self.replica, "task": self.task, "device_type": self.device_type,
                "device_index": self.device_index}

    def replace(self, **kwargs):
        """The same with other parts."""
        return type(self)(**{**self._parts(), **kwargs})

    def make_merged_spec(self, dev):
        """The parts of `dev`, and of this one where those are open."""
        return type(self)(**{**self._parts(), **{k: v for k, v in dev._parts().items() if v is not None}})

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self):
        return hash(tuple(self._parts().values()))

    def __repr__(self):
        return "<DeviceSpec(" + ", ".join(f"{k}={v}" for k, v in self._parts().items()) + ")>"

    __str__ = __repr__


class DeviceSpecV1(DeviceSpec):
    """`tf.compat.v1.DeviceSpec`, which may be changed."""

    def merge_from(self, dev):
        """Takes the parts that `dev` names."""
        self.__dict__.update({k: v for k, v in dev._parts().items() if v is not None})

    def parse_from_string(self, spec):
        """Becomes what the name says. Returns: itself."""
        self.__dict__.update(DeviceSpec.from_string(spec)._parts())
        return self
