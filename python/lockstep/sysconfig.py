"""How Lockstep was built: `tf.sysconfig`."""

import os


def get_build_info():
    """What it was built with."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


def get_lib():
    """The folder of the package, where its library lies."""
    return os.path.dirname(os.path.abspath(__file__))


def get_include():
    """Not built: headers are installed by `cmake --install`. Raises: NotImplementedError."""
    raise NotImplementedError("headers are not part of the Python package; `cmake --install` puts them into PREFIX/include")
