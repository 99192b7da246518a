"""`tf.app`: reads the options of the command line, then runs `main`."""

import sys as _sys

from . import flags  # noqa: F401


def run(main=None, argv=None):
    """Runs `main(argv)` with the arguments that are no flags, and ends the program with what it gives."""
    main = main or _sys.modules["__main__"].main
    argv = _sys.argv if argv is None else argv
    try:
        rest = flags.FLAGS(argv)
    except flags.Error as error:
        _sys.stderr.write(f"FATAL Flags parsing error: {error}\n")
        _sys.exit(1)
    _sys.exit(main(rest))
