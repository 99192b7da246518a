"""The stub files say what the package shows."""

import pathlib
import subprocess
import sys
import unittest

import lockstep

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Stubs(unittest.TestCase):
    def test_are_current(self):
        package = pathlib.Path(lockstep.__file__).parents[1]
        run = subprocess.run([sys.executable, ROOT / "tools" / "make_python_stubs.py", "--package", package,
                              "--output", ROOT / "python", "--check"], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)


if __name__ == "__main__":
    unittest.main()
