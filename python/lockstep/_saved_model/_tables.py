"""Lookup tables of a SavedModel."""

import os

from .. import _native, errors
from .._dtypes import as_dtype
from .._function import init_scope
from .._tensor import convert_to_tensor
from ._files import broken

class RestoredTable:
    """A table that is filled, by the function `_initialize` of the file, when it is asked for the first time."""

    def __init__(self, body, initialize, where):
        self._initialize, self._where, self._filled = initialize, where, None
        nodes = [one for one in (body.nodes.values() if body is not None else ()) if "Table" in one.op]
        if len(nodes) != 1 or not nodes[0].op.startswith("HashTable"):
            raise errors.UnimplementedError(None, None, f"[saved_model] resources must be variables and HashTables; {where} has "
                                            f"{[one.op for one in nodes] or 'another one'}")
        self.key_dtype, self.value_dtype = (as_dtype(nodes[0].attr[name].type) for name in ("key_dtype", "value_dtype"))
        self._pairs, self._tables = None, {}

    def fill(self, keys, values):
        """Takes the entries; what LookupTableImportV2 does."""
        self._pairs = convert_to_tensor(keys), convert_to_tensor(values)

    def fill_from_file(self, path, node):
        """Takes the entries of a text file with a key or a value a line; what InitializeTableFromTextFileV2 does."""
        from ..lookup import TextFileInitializer
        path = path.numpy().decode()
        if os.path.dirname(os.path.abspath(path)) != os.path.join(os.path.dirname(os.path.abspath(self._where)), "assets"):
            raise broken(f"a table must be filled from an asset of the SavedModel; got {path!r}")
        made = TextFileInitializer(path, self.key_dtype, node.attr["key_index"].i, self.value_dtype, node.attr["value_index"].i,
                                   delimiter=node.attr["delimiter"].s.decode() or "\t")
        pairs = made._pairs()
        self._pairs = tuple(convert_to_tensor([one[place] for one in pairs], dtype=dtype)
                            for place, dtype in enumerate((self.key_dtype, self.value_dtype)))

    def _known(self):
        if self._pairs is None:
            with init_scope():
                self._initialize()
            if self._pairs is None:
                raise broken("a table must have a function that fills it")
        return self._pairs

    def find(self, keys, default):
        """The values of keys; `default` for keys that are not there."""
        from ..lookup import KeyValueTensorInitializer, StaticHashTable
        known = _native.static_value(convert_to_tensor(default))
        if known is None:
            raise errors.UnimplementedError(None, None, "[saved_model] the default value of a table must be a constant")
        place = known.numpy().tolist()
        if place not in self._tables:
            self._tables[place] = StaticHashTable(KeyValueTensorInitializer(*self._known()), known)
        return self._tables[place].lookup(keys)

    def size(self):
        return convert_to_tensor(self._known()[0].shape[0], dtype="int64")
