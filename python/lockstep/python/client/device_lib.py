"""The devices of this process."""


def list_local_devices(session_config=None):
    """Each with `name`, `device_type`, `memory_limit`, `incarnation`."""
    from ...compat.v1._sessions import DeviceAttributes
    from ...config import list_logical_devices
    made = []
    for one in list_logical_devices():
        device = DeviceAttributes(one.name)
        device.memory_limit = device.memory_limit_bytes
        made.append(device)
    return made
