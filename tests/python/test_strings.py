"""`tf.strings` of rows and patterns. The values are TensorFlow's."""
import unittest

import numpy as np

import lockstep as tf

S = tf.strings
GRID = tf.constant([["a", "b"], ["c", "d"]])
CUBE = tf.constant([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]])
RAGGED = tf.ragged.constant([["a", "b", "c"], [], ["d"]])
DEEP = tf.ragged.constant([[["a", "b"], ["c"]], [], [["d"]]])


def shown(value):
    """The texts as str."""
    def plain(one):
        return [plain(inner) for inner in one] if isinstance(one, list) else one.decode()
    made = value.to_list() if hasattr(value, "to_list") else value.numpy()
    return plain(made.tolist() if hasattr(made, "tolist") else made)


class ReduceJoin(unittest.TestCase):
    CASES = [(GRID, None, "abcd"), (GRID, 0, ["ac", "bd"]), (GRID, -1, ["ab", "cd"]), (GRID, [0, 1], "acbd"),
             (GRID, [1, 0], "abcd"), (GRID, [], [["a", "b"], ["c", "d"]]), (CUBE, [0, 2], ["aebf", "cgdh"]),
             (CUBE, [2, 0], ["abef", "cdgh"]), (CUBE, 1, [["ac", "bd"], ["eg", "fh"]])]

    def test_of_tensors(self):
        for value, axis, expected in self.CASES:
            self.assertEqual(shown(S.reduce_join(value, axis)), expected)
            traced = tf.function(lambda v: S.reduce_join(v, axis))
            self.assertEqual(shown(traced(value)), expected)
            open_ = tf.function(lambda v: S.reduce_join(v, axis),
                                input_signature=[tf.TensorSpec([None] * len(value.shape), tf.string)])
            self.assertEqual(shown(open_(value)), expected)
        self.assertEqual(shown(S.reduce_join(GRID, [0, 1], keepdims=True, separator="-")), [["a-c-b-d"]])
        self.assertEqual(shown(S.reduce_join(GRID, 0, keepdims=True)), [["ac", "bd"]])
        self.assertEqual(shown(S.reduce_join(tf.constant("x"))), "x")
        empty = tf.constant([], tf.string, shape=[2, 0])
        self.assertEqual([shown(S.reduce_join(empty, axis)) for axis in (0, 1, None)], [[], ["", ""], ""])

    def test_of_ragged_tensors(self):
        self.assertEqual(shown(S.reduce_join(RAGGED, 1, separator=" ")), ["a b c", "", "d"])
        self.assertEqual(shown(S.reduce_join(RAGGED, 0)), ["ad", "b", "c"])
        self.assertEqual(shown(S.reduce_join(RAGGED)), "abcd")
        self.assertEqual(shown(S.reduce_join(RAGGED, 1, keepdims=True)), [["abc"], [""], ["d"]])
        self.assertEqual(shown(S.reduce_join(DEEP, 2)), [["ab", "c"], [], ["d"]])
        self.assertEqual(shown(S.reduce_join(DEEP, 1)), [["ac", "b"], [], ["d"]])
        self.assertEqual(shown(S.reduce_join(DEEP, [1, 2])), ["abc", "", "d"])

    def test_wrong_axes(self):
        with self.assertRaisesRegex(tf.errors.OutOfRangeError, "Invalid reduction dimension 2 for input with 2"):
            S.reduce_join(GRID, 2)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Duplicate reduction dimension -2"):
            S.reduce_join(GRID, [0, -2])


class NGrams(unittest.TestCase):
    WORDS = tf.constant(["a", "b", "c", "d"])

    def test_of_a_row(self):
        def of(*args, **options):
            return shown(S.ngrams(self.WORDS, *args, **options))
        self.assertEqual(of(2), ["a b", "b c", "c d"])
        self.assertEqual(of((2, 3), separator="|"), ["a|b", "b|c", "c|d", "a|b|c", "b|c|d"])
        self.assertEqual(of(3, pad_values=("L", "R")), ["L L a", "L a b", "a b c", "b c d", "c d R", "d R R"])
        self.assertEqual(of(3, pad_values="P", padding_width=1), ["P a b", "a b c", "b c d", "c d P"])
        self.assertEqual((of(5), of(5, preserve_short_sequences=True)), ([], ["a b c d"]))

    def test_of_rows(self):
        self.assertEqual(shown(S.ngrams(RAGGED, 2)), [["a b", "b c"], [], []])
        self.assertEqual(shown(S.ngrams(RAGGED, 5, pad_values="P", padding_width=1, preserve_short_sequences=True)),
                         [["P a b c P"], [], ["P d P"]])
        self.assertEqual(shown(S.ngrams(DEEP, 2)), [[["a b"], []], [], [[]]])
        self.assertEqual(shown(S.ngrams(CUBE, 2)), [[["a b"], ["c d"]], [["e f"], ["g h"]]])
        self.assertEqual(S.ngrams(GRID, 3).shape, (2, 0))
        for spec in ([2, 2], [None, 2], [None, None]):
            traced = tf.function(lambda v: S.ngrams(v, (1, 2)), input_signature=[tf.TensorSpec(spec, tf.string)])
            self.assertEqual(shown(traced(GRID)), [["a", "b", "a b"], ["c", "d", "c d"]])

    def test_wrong_options(self):
        for options, error, text in (({"ngram_width": 0}, ValueError, "greater than 0. Got 0"),
                                     ({"ngram_width": 2, "padding_width": 1}, ValueError, "pad_values must be provided"),
                                     ({"ngram_width": 2, "padding_width": 0, "pad_values": "P"}, ValueError,
                                      "padding_width must be greater"),
                                     ({"ngram_width": 2, "pad_values": ("P",)}, TypeError, "tuple of strings")):
            with self.assertRaisesRegex(error, text):
                S.ngrams(self.WORDS, **options)
        with self.assertRaisesRegex(ValueError, "rank>0"):
            S.ngrams(tf.constant("a"), 1)


class Patterns(unittest.TestCase):
    TEXTS = ["w12 ab", "", "xab\nab", "éb"]

    def test_replace(self):
        for pattern, rewrite, expected in (
                (r"w(\d)", r"<\1>", ["<1>2 ab", "", "xab\nab", "éb"]), ("(a)|(b)", r"[\1\2]", [
                    "w12 [a][b]", "", "x[a][b]\n[a][b]", "é[b]"]),
                ("", "-", ["-w-1-2- -a-b-", "-", "-x-a-b-\n-a-b-", "-é-b-"]), ("a*", "x", [
                    "xwx1x2x xbx", "x", "xxxbx\nxbx", "xéxbx"]), ("b", r"\0\0", ["w12 abb", "", "xabb\nabb", "ébb"]),
                (r"\pL", "u", ["u12 uu", "", "uuu\nuu", "uu"]), ("(?i)A", "z", ["w12 zb", "", "xzb\nzb", "éb"])):
            self.assertEqual(shown(S.regex_replace(tf.constant(self.TEXTS), pattern, rewrite)), expected)
        self.assertEqual(shown(S.regex_replace(tf.constant("aa"), b"a", b"b", replace_global=False)), "ba")
        self.assertEqual(shown(S.regex_replace(RAGGED, "[ad]", "_")), [["_", "b", "c"], [], ["_"]])
        self.assertEqual(shown(tf.function(lambda v: S.regex_replace(v, "a", "b"))(tf.constant(["aa"]))), ["bb"])

    def test_match(self):
        made = S.regex_full_match(tf.constant([["ab", "a\nb", "", "é"]]), "a.*|\\pL")
        self.assertEqual(made.numpy().tolist(), [[True, False, False, True]])

    def test_wrong_patterns(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"Invalid pattern: \(, error: missing \)"):
            S.regex_replace(tf.constant("a"), "(", "x")
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Invalid pattern"):
            S.regex_full_match(tf.constant("a"), "[")
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"must fit the pattern; got \\3 for b"):
            S.regex_replace(tf.constant("a"), "b", r"\3")

    def test_many_threads_with_many_patterns(self):
        import threading
        wrong = []

        def work(letter):
            for i in range(50):
                made = S.regex_replace(tf.constant(np.array(["xyz"] * 10, object)), letter, str(i % 10)).numpy().tolist()
                if made != ["xyz".replace(letter, str(i % 10)).encode()] * 10:
                    wrong.append(made)
        threads = [threading.Thread(target=work, args=(letter,)) for letter in "xyz"]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
