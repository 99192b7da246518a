"""What event files have for the values that `tf.summary` makes itself."""

import struct

import numpy

from ._messages import Message
from ._tensor_proto import make_tensor_proto

_WAV = b"\x10\x0b"  # AudioPluginData(encoding=WAV)


def metadata_of(plugin, description=None, content=b""):
    """A `tf.compat.v1.SummaryMetadata` for a plugin of TensorBoard."""
    made = Message("SummaryMetadata", plugin_data=Message("PluginData", plugin_name=plugin))
    if content:
        made.plugin_data.content = content
    if description:
        made.summary_description = description
    return made


def summary_bytes(tag, tensor, metadata=None):
    """A serialized `tf.Summary` with one tensor. `metadata`: a message, also of another package, or its bytes."""
    value = Message("Value", tag=tag, tensor=make_tensor_proto(tensor))
    if metadata is not None:
        data = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else bytes(metadata)
        value.metadata.CopyFrom(Message("SummaryMetadata", data))
    return Message("Summary", value=[value]).SerializeToString()


def with_description(summary, text):
    """A serialized `tf.Summary` whose values have a description."""
    made = Message("Summary", summary)
    for one in made.value:
        one.metadata.summary_description = text
    return made.SerializeToString()


def wav(samples, rate):
    """Samples [t, c] between -1 and 1 as a file of 16 bits a sample."""
    scaled = samples.astype("float32") * numpy.float32(32768)
    nearest = numpy.sign(scaled) * numpy.floor(numpy.abs(scaled) + numpy.float32(0.5))
    data = numpy.clip(nearest, -32768, 32767).astype("<i2").tobytes()
    channels = samples.shape[1]
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", len(form)) + form + (
        b"data" + struct.pack("<I", len(data)) + data)


def audio_bytes(tag, clips, rate, most, description):
    """The summary of the first `most` clips [k, t, c]: a row for each, its file and an empty label."""
    rows = [[wav(one, rate), b""] for one in clips[:most]]
    return summary_bytes(tag, numpy.array(rows, dtype=object).reshape(len(rows), 2), metadata_of("audio", description, _WAV))
