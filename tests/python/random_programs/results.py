"""What programs leave behind: arrays by name, to files and compared."""
import numpy as np


def write(file, left):
    names = np.array(list(left), dtype=np.str_)
    with open(file, "wb") as stream:
        np.savez(stream, names=names, **{f"array{i}": array for i, array in enumerate(left.values())})


def read(file):
    with np.load(file, allow_pickle=False) as stored:
        return {str(name): stored[f"array{i}"] for i, name in enumerate(stored["names"])}


def _bytes(array):
    """[..., bytes of an element]"""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(*array.shape, array.itemsize)


def differences(one, other):
    """Names, with words, of what is not equal to the bit; any NaN equals any other."""
    found = [f"{name} is only in one of them" for name in sorted(set(one) ^ set(other))]
    for name in one:
        if name not in other:
            continue
        a, b = one[name], other[name]
        if a.shape != b.shape or a.dtype != b.dtype:
            found.append(f"{name}: {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}")
        elif a.tobytes() != b.tobytes():
            differ = (_bytes(a) != _bytes(b)).any(-1)
            if a.dtype.kind in "fc":
                differ &= ~(np.isnan(a) & np.isnan(b))
            if differ.any():
                place = tuple(int(i) for i in np.argwhere(differ)[0])
                found.append(f"{name}{list(place)}: {a[place]!r} and {b[place]!r}, {int(differ.sum())} of {a.size} differ")
    return found
