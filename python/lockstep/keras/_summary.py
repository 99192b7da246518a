"""The table of a model, as Keras prints it."""

from .. import nest


def _count(variables):
    total = size = 0
    for one in variables:
        number = one.shape.num_elements()
        total += number
        size += number * one.dtype.size
    return total, size


def _bytes(size):
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.2f} {unit}"
        size /= 1024
    return ""


def _shape_text(layer):
    shape = layer._shown_output_shape()
    if shape is None:
        return "?"
    if isinstance(shape, dict):
        return str(shape)
    if shape and isinstance(shape, (list, tuple)) and isinstance(shape[0], (list, tuple)):
        return "[" + ", ".join(_one(one) for one in shape) + "]"
    return _one(shape)


def _one(shape):
    return "(" + ", ".join(str(one) for one in shape) + ("," if len(shape) == 1 else "") + ")"


def _wrap(text, width):
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        if len(word) > width:
            word = word[:width - 1] + "…"
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def _rule(widths, left, line, cross, right):
    return left + cross.join(line * (width + 2) for width in widths) + right


def _row(cells, widths, edge, numbers):
    columns = [[part for line in cell.split("\n") for part in _wrap(line, width)]
               for cell, width in zip(cells, widths)]
    lines = []
    for i in range(max(map(len, columns))):
        parts = [column[i] if i < len(column) else "" for column in columns]
        lines.append(edge + edge.join(
            " " + (part.rjust(width) if number else part.ljust(width)) + " "
            for part, width, number in zip(parts, widths, numbers)) + edge)
    return "\n".join(lines)


def _connections(model, layer):
    names = []
    for node in getattr(model, "_nodes", []):
        if node.layer is layer:
            for one in node.inputs:
                names.append(f"{one._node.layer.name}[0][{one._index}]")
    return ", ".join(names) if names else "-"


def _is_chain(model):
    nodes = getattr(model, "_nodes", None)
    if nodes is None:
        return True
    used = {}
    for node in nodes:
        if len(node.inputs) > 1:
            return False
        for one in node.inputs:
            used[id(one)] = used.get(id(one), 0) + 1
    layers = [id(node.layer) for node in nodes]
    return all(count == 1 for count in used.values()) and len(set(layers)) == len(layers)


def summary(model):
    """The text."""
    chain = _is_chain(model)
    widths = [31, 22, 13] if chain else [19, 17, 10, 17]
    titles = ["Layer (type)", "Output Shape", "Param #"] + ([] if chain else ["Connected to"])
    numbers = [False, False, True] + ([] if chain else [False])
    lines = [f'Model: "{model.name}"', _rule(widths, "┏", "━", "┳", "┓"),
             _row(titles, widths, "┃", numbers), _rule(widths, "┡", "━", "╇", "┩")]
    layers = model.layers
    for place, layer in enumerate(layers):
        count = f"{_count(layer.weights)[0]:,}"
        if not layer.built and not layer.weights and layer._shown_output_shape() is None:
            count = "0 (unbuilt)"
        cells = [f"{layer.name} ({type(layer).__name__})", _shape_text(layer), count]
        if not chain:
            cells.append(_connections(model, layer))
        lines.append(_row(cells, widths, "│", numbers))
        last = place == len(layers) - 1
        lines.append(_rule(widths, "└" if last else "├", "─", "┴" if last else "┼",
                           "┘" if last else "┤"))
    weights, bytes_ = _count(model.weights)
    trained, trained_bytes = _count(model.trainable_weights)
    optimizer = getattr(model, "optimizer", None)
    slots = slot_bytes = 0
    if optimizer is not None and optimizer.built:
        slots, slot_bytes = _count(optimizer.variables)
        lines.append(f" Total params: {weights + slots:,} ({_bytes(bytes_ + slot_bytes)})")
    else:
        lines.append(f" Total params: {weights:,} ({_bytes(bytes_)})")
    lines.append(f" Trainable params: {trained:,} ({_bytes(trained_bytes)})")
    lines.append(f" Non-trainable params: {weights - trained:,} ({_bytes(bytes_ - trained_bytes)})")
    if slots:
        lines.append(f" Optimizer params: {slots:,} ({_bytes(slot_bytes)})")
    return "\n".join(lines)


_ = nest
