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
    return "(" + ", ".join(str(one) for one in shape) + ")"


def _wrap(text, width):
    own = text.lstrip(" ")  # what it is set in by stays
    lines = [" " * (len(text) - len(own))]
    for word in own.split(" "):
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        if len(word) > width:
            word = word[:width - 1] + "…"
        lines[-1] += (" " if lines[-1].strip() else "") + word
    return lines


def _rule(widths, left, line, cross, right):
    return left + cross.join(line * (width + 2) for width in widths) + right


def _centred(text, width):
    left = (width - len(text)) // 2
    return " " * left + text + " " * (width - len(text) - left)


def _row(cells, widths, edge, numbers):
    columns = [[part for line in cell.split("\n") for part in _wrap(line, width)]
               for cell, width in zip(cells, widths)]
    lines = []
    for i in range(max(map(len, columns))):
        parts = [column[i] if i < len(column) else "" for column in columns]
        lines.append(edge + edge.join(
            " " + (_centred(part, width) if number is None else part.rjust(width) if number else part.ljust(width)) + " "
            for part, width, number in zip(parts, widths, numbers)) + edge)
    return "\n".join(lines)


def _connections(model, layer):
    names = []
    for node in getattr(model, "_nodes", []):
        if node.layer is layer:
            for one in node.inputs:
                calls = one._node.layer.__dict__.get("_inbound", [])
                number = next((i for i, call in enumerate(calls) if call is one._node), 0)
                names.append(f"{one._node.layer.name}[{number}][{one._index}]")
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


def _widths(line_length, positions, chain, show_trainable):
    """How wide the texts of the columns are in lines of a length: the positions, less what borders and padding take, in
    equal parts from the left. Raises: ValueError for columns that are too narrow."""
    positions = list(positions or ([0.45, 0.80, 1.0] if chain else [0.3, 0.56, 0.74, 1.0]))
    if show_trainable:
        positions = [one * 0.90 for one in positions] + [1.0]
    widths, end = [], 0
    for one in positions:
        widths.append(int(one * line_length) - end)
        end += widths[-1]
        if widths[-1] < 4:
            raise ValueError("Insufficient console width to print summary.")
    excess = sum(widths) + 3 * len(widths) + 1 - line_length
    for place in range(len(widths)):
        taken = round(excess / (len(widths) - place))
        widths[place] -= taken
        excess -= taken
    return widths


def _rows(layer, level, expand_nested):
    """(prefix, layer) of a layer and, below it, of those that it is made of."""
    rows = [("   " * level + "└ " if level else "", layer)]
    if expand_nested:
        for one in getattr(layer, "layers", None) or []:
            rows.extend(_rows(one, level + 1, True))
    return rows


def _range(layers, names):
    """The layers from the first that matches a pattern to the last that matches another. Raises: ValueError."""
    if names is None:
        return layers
    import re
    if len(names) != 2 or not all(isinstance(one, str) for one in names):
        raise ValueError("layer_range should contain two strings: the names or patterns of the first and the last layer; "
                         f"got {names}")
    first = [i for i, one in enumerate(layers) if re.match(names[0], one.name)]
    last = [i for i, one in enumerate(layers) if re.match(names[1], one.name)]
    if not first or not last:
        raise ValueError(f"Passed layer_names do not match the layer names in the model. Received: {names}")
    low, high = min(first[0], last[-1]), max(first[0], last[-1])
    return layers[low:high + 1]


def summary(model, line_length=None, positions=None, expand_nested=False, show_trainable=False, layer_range=None):
    """The text."""
    chain = _is_chain(model)
    widths = _widths(line_length or 76, positions, chain, show_trainable)
    titles = ["Layer (type)", "Output Shape", "Param #"] + ([] if chain else ["Connected to"])
    numbers = [False, False, True] + ([] if chain else [False])
    if show_trainable:
        titles.append("Trainable")
        numbers.append(None)
    lines = [f'Model: "{model.name}"', _rule(widths, "┏", "━", "┳", "┓"),
             _row(titles, widths, "┃", numbers), _rule(widths, "┡", "━", "╇", "┩")]
    layers = [row for layer in _range(getattr(model, "operations", model.layers), layer_range) for row in _rows(layer, 0, expand_nested)]
    for place, (prefix, layer) in enumerate(layers):
        count = f"{_count(layer.weights)[0]:,}"
        if not layer.built and not layer.weights and layer._shown_output_shape() is None:
            count = "0 (unbuilt)"
        cells = [f"{prefix}{layer.name} ({type(layer).__name__})", _shape_text(layer), count]
        if not chain:
            cells.append(_connections(model, layer))
        if show_trainable:
            cells.append("-" if not layer.weights else "Y" if layer.trainable else "N")
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
