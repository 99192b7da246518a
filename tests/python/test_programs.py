"""Programs as users of TensorFlow write them, with only their import changed, print what TensorFlow prints.

Beside NAME.py lies NAME.txt: what the real TensorFlow printed for it. `test_programs.py --record PYTHON [NAME...]`
runs them again under a Python that has TensorFlow."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"


def run(python, source, **environment):
    """(what a program prints, what it says besides)"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(source)
        done = subprocess.run([python, path], cwd=folder, capture_output=True, text=True, timeout=240,
                              env=dict(os.environ, **environment))
    return done.stdout, done.stderr + (f"\nexit {done.returncode}" if done.returncode else "")


def imports(module):
    """Whether a package is there that a program needs."""
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


class Programs(unittest.TestCase):
    maxDiff = None

    def test_print_what_tensorflow_prints(self):
        programs = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.py"))}
        self.assertGreater(len(programs), 20)
        if not imports("h5py"):  # files of Keras need it
            left_out = [name for name, source in programs.items() if re.search(r"\.h5|\.keras\"|keras'", source)]
            print(f"left out, as h5py is not there: {', '.join(left_out)}", flush=True)
            programs = {name: source for name, source in programs.items() if name not in left_out}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            made = {name: pool.submit(run, sys.executable, re.sub(r"\btensorflow\b", "lockstep", source))
                    for name, source in programs.items()}
        for name, future in made.items():
            with self.subTest(name):
                printed, said = future.result()
                self.assertEqual(printed, (FOLDER / f"{name}.txt").read_text(), f"{name}\n{said[-2000:]}")


def record(python, names):
    for path in sorted(FOLDER.glob("*.py")):
        if names and path.stem not in names:
            continue
        printed, said = run(python, path.read_text(), TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
        if "Traceback" in said:
            sys.exit(f"{path.stem}:\n{said[-3000:]}")
        path.with_suffix(".txt").write_text(printed)
        print(f"{path.stem}: {len(printed.splitlines())} lines", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2], sys.argv[3:])
    else:
        unittest.main()
