import collections

import numpy as np
import tensorflow as tf

tree = tf.keras.tree
Pair = collections.namedtuple("Pair", "a b")
structure = {"b": [1, (2, 3)], "a": Pair(4, {"z": 5})}
ordered = collections.OrderedDict([("b", 1), ("a", 2)])
print(tree.flatten(structure), tree.flatten(1), tree.flatten([None, 1]), tree.flatten(ordered), tree.flatten({}), tree.flatten("ab"))
print(tree.flatten_with_path(structure), tree.flatten_with_path(3))
print([tree.is_nested(one) for one in (1, [], {}, "a", Pair(1, 2), np.arange(2), None, {1})])
print(tree.map_structure(lambda x: x + 1, structure), tree.map_structure(lambda x, y: x + y, [1, (2,)], [3, (4,)]), tree.map_structure(lambda x: x, ordered))
print(list(tree.map_structure(lambda x: x, structure)), tree.map_structure(lambda x: None, [1, 2]))
print(tree.map_structure_up_to({"a": 1}, lambda x, y: (x, y), {"a": [1]}, {"a": 2}))
print(tree.pack_sequence_as(structure, [1, 2, 3, 4, 5]), tree.pack_sequence_as([1, (2,)], (7, 8)), tree.pack_sequence_as(1, [5]))
print(tree.traverse(lambda x: x + 1 if isinstance(x, int) else None, structure), tree.traverse(lambda x: "L" if isinstance(x, list) else None, structure))
print(tree.traverse(lambda x: tree.MAP_TO_NONE if x == 2 else None, [1, 2]), tree.traverse(lambda x: sum(x) if isinstance(x, tuple) else None, [(1, 2), 3], top_down=False))
print(tree.lists_to_tuples([1, [2, (3,)], {"a": [4]}]), tree.map_shape_structure(len, {"a": (1, 2), "b": [(3,), (None, 4)]}))
for act in (lambda: tree.assert_same_structure([1, 2], [3, 4]), lambda: tree.assert_same_structure({"a": 1}, ordered.__class__(a=1)),
            lambda: tree.assert_same_structure([1, 2], (3, 4)), lambda: tree.assert_same_structure([1, 2], [3]),
            lambda: tree.assert_same_structure({"a": 1}, {"b": 1}), lambda: tree.assert_same_structure([1], [[1]]),
            lambda: tree.assert_same_paths([1, 2], (3, 4)), lambda: tree.assert_same_paths([1, 2], [3, [4]]),
            lambda: tree.map_structure(lambda x, y: x, [1, 2], [3]), lambda: tree.map_structure(lambda x: x),
            lambda: tree.map_structure_up_to([1, [2]], lambda x: x, [1, 2]),
            lambda: tree.pack_sequence_as([1, 2], [1]), lambda: tree.pack_sequence_as(1, [5, 6])):
    try:
        print(act())
    except ValueError as error:
        print(error)
tensors = tree.map_structure(tf.constant, {"x": [1.0, 2.0], "y": 3})
print(tree.map_structure(lambda x: (x * 2).numpy(), tensors), [path for path, _ in tree.flatten_with_path(tensors)])
