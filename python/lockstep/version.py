"""Versions: `tf.version`."""

VERSION = "2.21.0"
GIT_VERSION = "lockstep"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 0
