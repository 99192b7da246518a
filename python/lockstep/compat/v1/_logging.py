"""Lines for the log."""


class logging:
    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

    @staticmethod
    def set_verbosity(level):
        """Of Python's logger "tensorflow"."""
        import logging as python
        python.getLogger("tensorflow").setLevel(level)

    @staticmethod
    def get_verbosity():
        import logging as python
        return python.getLogger("tensorflow").getEffectiveLevel()

    @staticmethod
    def info(message, *args):
        import sys
        sys.stderr.write("INFO:tensorflow:" + (message % args if args else message) + "\n")

    warn = warning = error = debug = info
