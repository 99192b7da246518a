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
    def _say(level, message, args):
        import logging as python
        import sys
        if getattr(python, level) < python.getLogger("tensorflow").level:  # 0 where no verbosity was set
            return
        sys.stderr.write(f"{level}:tensorflow:" + (message % args if args else message) + "\n")

    @staticmethod
    def info(message, *args):
        logging._say("INFO", message, args)

    @staticmethod
    def warning(message, *args):
        logging._say("WARNING", message, args)

    @staticmethod
    def error(message, *args):
        logging._say("ERROR", message, args)

    warn, debug, fatal = warning, info, error
