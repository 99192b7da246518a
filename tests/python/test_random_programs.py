"""Random programs leave the same bits in ways that must not show; `./dev programs` runs as many as one likes."""
import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "random_programs"))

import verify  # noqa: E402
from results import differences  # noqa: E402


class RandomPrograms(unittest.TestCase):
    def verified(self, programs):
        verification = verify.Verification()
        for kind, seed, ways in programs:
            verification.check(kind, seed, ways)
        print(verification.summary(), flush=True)
        self.assertEqual((verification.differences, verification.failures), (0, 0))
        return verification

    def test_on_devices(self):
        verification = self.verified((kind, seed, [way for way in verify.ways_of(kind, seed) if way not in verify.JOBS])
                                     for kind in verify.KINDS for seed in range(8))
        self.assertLess(verification.not_reached, 3)  # nothing is saved of programs of one epoch

    def test_over_processes(self):
        # Each way once, by programs that are long enough for what happens in their middle.
        jobs = [("steps", 3, "2 workers"), ("steps", 5, "3 workers"), ("models", 4, "3 workers")]
        jobs += [("models", seed, way) for seed, way in zip((49, 33, 26, 20), verify.EVENTS, strict=True)]
        verification = self.verified((kind, seed, [way]) for kind, seed, way in jobs)
        self.assertLess(verification.not_reached, len(verify.EVENTS))

    def test_what_is_left_differs_by_seed(self):
        one, other = (verify.mirrored(1)("steps", seed, 2) for seed in (1, 2))
        self.assertTrue(differences(one, other))
        self.assertFalse(differences(one, verify.mirrored(1)("steps", 1, 2)))

    def test_differences_are_named(self):
        one = {"a": np.float32([1, 2]), "b": np.float32([np.nan]), "c": np.int32(3)}
        self.assertEqual(differences(one, dict(one)), [])
        other = {"a": np.float32([1, 2.5]), "b": np.float32([-np.nan]), "c": np.int64(3), "d": np.float32(0)}
        found = differences(one, other)
        self.assertEqual([text.split(":")[0].split(" is ")[0] for text in found], ["d", "a[1]", "c"])
        self.assertIn("1 of 2 differ", found[1])


if __name__ == "__main__":
    unittest.main()
