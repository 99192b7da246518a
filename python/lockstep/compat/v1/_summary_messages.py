"""Summaries that a program makes by hand: `tf.Summary`."""

from ..._messages import Message, message_class

SummaryMetadata = message_class("SummaryMetadata")


def _value(**fields):
    return Message("Value", **fields)


class Summary:
    """`Summary(value=[Summary.Value(tag="loss", simple_value=0.5)])`: a message for `FileWriter.add_summary`."""

    Value = staticmethod(_value)

    def __new__(cls, value=()):
        return Message("Summary", value=list(value))

    @staticmethod
    def FromString(data):
        """The message of its bytes."""
        return Message("Summary", bytes(data))
