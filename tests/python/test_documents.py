"""The examples of docs/python.md and README.md run."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Examples(unittest.TestCase):
    def test_they_run(self):
        count = 0
        for name in ("docs/python.md", "README.md"):
            for program in re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S):
                # From a file, as functions are rewritten from their source.
                with tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / "example.py"
                    path.write_text(program)
                    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, program + done.stderr)
                self.assertTrue(done.stdout, program)
                count += 1
        self.assertGreaterEqual(count, 5)


if __name__ == "__main__":
    unittest.main(verbosity=0)
