"""What the callback `TensorBoard` shows of a model besides figures: its layers, and its weights as images."""

import warnings

import numpy


def write_layers(model):
    """The layers of a Sequential or functional model, for TensorBoard's page of graphs, at step 0."""
    from .. import summary
    if type(model).__name__ not in ("Functional", "Sequential"):
        return
    try:
        described = model.to_json()
    except Exception as error:  # a class of one's own that cannot be written
        warnings.warn(f"Model failed to serialize as JSON. Ignoring... {error}")
        return
    summary.write("keras", described, 0, summary.metadata_of("graph_keras_model", content=b"1"))


def _image_of(weight):
    """[k, height, width, 1] of a weight of 1 to 3 axes longer than 1; None for others."""
    values = numpy.squeeze(weight)
    if values.ndim == 1:
        return values.reshape(1, -1, 1, 1)
    if values.ndim == 2:
        values = values.T if values.shape[0] > values.shape[1] else values
        return values.reshape(1, *values.shape, 1)
    if values.ndim == 3:
        return values.transpose(2, 0, 1)[..., None]
    return values if values.ndim == 4 and values.shape[-1] in (1, 3, 4) else None


def write_weights(weights, step, images):
    """Histograms of weights, and images of those that are small enough in axes if `images`."""
    from .. import summary
    for one in weights:
        summary.histogram(one.path + "/histogram", one.value(), step=step)
        image = _image_of(one.numpy()) if images else None
        if image is not None:
            summary.image(one.path + "/image", image, step=step)
