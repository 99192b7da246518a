"""SavedModels: ours read back, and both ways with the real TensorFlow where it is installed (PEERS, by default ~/.cache/lockstep-peers)."""

import os
import pathlib
import pwd
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(__file__).parent / "saved_model_programs.py"
HOME = pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir)  # tests run with another HOME
PEER = pathlib.Path(os.environ.get("PEERS", HOME / ".cache/lockstep-peers")) / "tensorflow/bin/python"


def run(python, *arguments):
    """The lines {model: what is said of it} that the programs print."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([python, PROGRAMS, *arguments], capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


@unittest.skipUnless(PEER.exists(), f"SKIPPED: TensorFlow is not installed at {PEER}")
class WithTensorFlow(unittest.TestCase):
    def test_models_of_tensorflow_give_the_same_here(self):
        with tempfile.TemporaryDirectory() as folder:
            written = run(PEER, "tensorflow", "write", folder)
            self.assertEqual(set(written.values()), {"written"}, written)
            self.assertGreaterEqual(len(written), 20)
            self.assertEqual(run(sys.executable, "lockstep", "check", folder), dict.fromkeys(written, "same"))


if __name__ == "__main__":
    unittest.main()
