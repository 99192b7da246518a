#!/usr/bin/env python3
"""Runs the tests of the Python package in a virtual environment.

usage: run.py --build DIR --source DIR [--sanitizer NAME] [--prepare | --prepared] [PATTERN | --run FILE ARGUMENT...]

Makes DIR/python-environment with nanobind and NumPy, and h5py and nbclient where they can be had, builds the extension
module against DIR's library (in DIR/python-extension) unless DIR has it, and runs test_*.py, each in a process
of its own, or instead of them FILE. --prepare ends after the first half, --prepared begins after it. Exits 77, saying why, where nanobind cannot
be had, or where the library is built for a sanitizer."""
import argparse
import pathlib
import subprocess
import sys
import venv

SKIPPED = 77


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def environment(build):
    """The Python of an environment with what the package needs."""
    folder = build / "python-environment"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    have = subprocess.run([python, "-c", "import nanobind, numpy"], capture_output=True)
    if have.returncode:
        got = subprocess.run([python, "-m", "pip", "install", "-q", "nanobind", "numpy"],
                             capture_output=True, text=True)
        if got.returncode:
            skip("nanobind and numpy cannot be installed: " + got.stderr.strip().splitlines()[-1])
        # Files of Keras need h5py, notebooks the others; tests say what they leave out without them.
        for names in (["h5py"], ["nbclient", "ipykernel"]):
            subprocess.run([python, "-m", "pip", "install", "-q", *names], capture_output=True)
    return python


def holds_package(folder):
    return any((folder / "lockstep").glob("_native*.so"))


def build_extension(build, source, python):
    if holds_package(build / "python"):
        return
    made = build / "python-extension"
    header = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])"],
                            capture_output=True, text=True).stdout.strip()
    if not (pathlib.Path(header) / "Python.h").exists():
        skip(f"Python's headers are not in {header} (python3-dev)")
    if not (build / "liblockstep.so").exists():
        skip(f"{build}/liblockstep.so is not built")
    subprocess.run(["cmake", "-S", source, "-B", made, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DLOCKSTEP_PYTHON=ON", "-DLOCKSTEP_BUILD_TESTS=OFF",
                    "-DLOCKSTEP_BUILD_BENCHMARKS=OFF", f"-DLOCKSTEP_BUILD_DIR={build}",
                    f"-DPython_EXECUTABLE={python}"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", made, "-j2", "lockstep_native"], check=True,
                   stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--sanitizer", default="")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--prepare", action="store_true", help="only make the environment and the extension module")
    part.add_argument("--prepared", action="store_true", help="only run the tests")
    parser.add_argument("pattern", nargs="?", default="test_*.py")
    parser.add_argument("--run", nargs=argparse.REMAINDER, help="run this file with these arguments, and no tests")
    options = parser.parse_args()
    build, source = options.build.resolve(), options.source.resolve()
    if sys.version_info < (3, 11):
        skip(f"Python 3.11 or later is needed; got {sys.version.split()[0]}")
    if options.sanitizer:
        skip(f"a library that is built for the sanitizer {options.sanitizer} cannot be loaded by this Python")
    if not options.prepared:
        build_extension(build, source, environment(build))
    if options.prepare:
        return 0
    python = build / "python-environment" / "bin" / "python"
    package = next(filter(holds_package, (build / "python", build / "python-extension" / "python")), None)
    if package is None or not python.exists():
        skip("the extension module is not built; python/extension says why")
    environment_of_tests = {"PYTHONPATH": str(package), "PATH": "/usr/bin:/bin", "HOME": str(build),
                            "LOCKSTEP_COMMAND": str(build / "lockstep")}
    if options.run:
        return subprocess.run([python, *options.run], env=environment_of_tests).returncode
    failed = []
    for path in sorted((source / "tests" / "python").glob(options.pattern)):
        run = subprocess.run([python, path], env=environment_of_tests)
        print(f"{path.name}: {'passed' if run.returncode == 0 else 'FAILED'}", flush=True)
        if run.returncode:
            failed.append(path.name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
