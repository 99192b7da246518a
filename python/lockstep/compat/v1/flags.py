"""Options of the command line: `tf.app.flags`. What is defined is read from `sys.argv` when `FLAGS` is first asked."""

import sys as _sys


class Error(Exception):
    """Something is wrong with flags."""


class IllegalFlagValueError(Error):
    """A value that a flag does not take."""


class UnrecognizedFlagError(Error):
    """A flag that nobody has defined."""


class DuplicateFlagError(Error):
    """A flag that has been defined before."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line."""


class ValidationError(Error):
    """A flag's value breaks a rule."""


def _boolean(text):
    if isinstance(text, bool):
        return text
    if str(text).lower() in ("true", "t", "1"):
        return True
    if str(text).lower() in ("false", "f", "0"):
        return False
    raise ValueError("Non-boolean argument to boolean flag")


def _items(text):
    return list(text) if isinstance(text, (list, tuple)) else [one.strip() for one in text.split(",")] if text else []


class Flag:
    """One option: its value, its default, and how its text is read."""

    def __init__(self, name, default, help, read, several=False, short_name=None, allow_override=False, allow_overwrite=True,
                 allow_override_cpp=False, allow_hide_cpp=False, allow_using_method_names=False):
        if allow_hide_cpp and allow_override_cpp:
            raise Error("Can't have both allow_hide_cpp (means use Python flag) and allow_override_cpp (means use C++ flag after "
                        "InitGoogle)")
        self.short_name, self.allow_override, self.allow_overwrite = short_name, allow_override, allow_overwrite
        self.allow_using_method_names = allow_using_method_names
        self.name, self.help, self.read, self.several = name, help, read, several
        self.default = self._given(default) if default is not None else None
        self.value, self.present = self.default, 0

    def _given(self, value):
        if self.several and isinstance(value, (list, tuple)):
            return [self._given(one) for one in value]
        try:
            made = self.read(value)
        except ValueError as error:
            raise IllegalFlagValueError(f"flag --{self.name}={value}: {error}") from None
        return made

    def parse(self, text):
        """Takes the text of the command line. Raises: IllegalFlagValueError for a second one without `allow_overwrite`."""
        if self.present and not self.allow_overwrite:
            raise IllegalFlagValueError(f"flag --{self.name}={text}: already defined as {self.value}")
        made = self._given(text)
        if self.several:
            made = (self.value if self.present else []) + [made]
        self.value, self.present = made, self.present + 1


class FlagValues:
    """All flags, as attributes. Calling it with a command line reads that."""

    def __init__(self):
        self.__dict__.update(_flags={}, _short={}, _read=False, _rules=[], _rest=None)

    def _add(self, flag):
        if hasattr(type(self), flag.name) and not flag.allow_using_method_names:
            raise Error(f'Cannot name flag "{flag.name}". It conflicts with a method on FlagValues.')
        for name in (flag.name, flag.short_name):
            own = name and (self._flags.get(name) or self._short.get(name))
            if own and not (flag.allow_override or own.allow_override):
                raise DuplicateFlagError(f"The flag '{name}' is defined twice.")
        own = self._flags.get(flag.name)
        if own is not None and own.present:
            return  # a value of the command line stays
        self._flags[flag.name] = flag
        if flag.short_name:
            self._short[flag.short_name] = flag

    def __call__(self, argv, known_only=False):
        """The arguments that are no flags. Raises: UnrecognizedFlagError, IllegalFlagValueError, ValidationError."""
        rest, waiting = [argv[0]] if argv else [], list(argv[1:])
        while waiting:
            text = waiting.pop(0)
            if text == "--":
                rest += waiting
                break
            if not text.startswith("-") or text == "-":
                rest.append(text)
                continue
            name, equals, value = text.lstrip("-").partition("=")
            flag, off = self._flags.get(name) or self._short.get(name), False
            if flag is None and name.startswith("no") and name[2:] in self._flags:
                flag, off = self._flags[name[2:]], True
            if flag is None:
                if known_only:
                    rest.append(text)
                    continue
                raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
            if flag.read is _boolean:
                flag.parse(value if equals else not off)
            else:
                if not equals and not waiting:
                    raise Error(f"Missing value for flag --{name}")
                flag.parse(value if equals else waiting.pop(0))
        self.__dict__["_read"], self.__dict__["_rest"] = True, rest
        for check in self._rules:
            check(self)
        return rest

    def is_parsed(self):
        """Whether the command line has been read."""
        return self._read

    def mark_as_parsed(self):
        self.__dict__["_read"] = True

    def __getattr__(self, name):
        flags = {**self.__dict__["_short"], **self.__dict__["_flags"]}
        if name not in flags:
            raise AttributeError(name)
        if not self._read:
            self(_sys.argv, known_only=True)
        return flags[name].value

    def __setattr__(self, name, value):
        if name not in self._flags:
            raise AttributeError(name)
        self._flags[name].value = value

    def __delattr__(self, name):
        self._flags.pop(name, None)

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __len__(self):
        return len(self._flags)

    def __getitem__(self, name):
        return self._flags[name]

    def flag_values_dict(self):
        """The values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def unparse_flags(self):
        self.__dict__["_read"] = False


FLAGS = FlagValues()


class FlagHolder:
    """What a definition gives: the flag's name and value."""

    def __init__(self, name):
        self.name = name

    value = property(lambda self: getattr(FLAGS, self.name))
    default = property(lambda self: FLAGS[self.name].default)
    present = property(lambda self: bool(FLAGS[self.name].present))


def _define(read, several=False, items=False):
    def define(name, default=None, help="", flag_values=FLAGS, required=False, **arguments):
        flag_values._add(Flag(name, default, help, read, several, **arguments))
        if required:
            mark_flag_as_required(name, flag_values)
        return FlagHolder(name)
    return define


DEFINE_string = _define(str)
DEFINE_boolean = DEFINE_bool = _define(_boolean)
DEFINE_list = _define(_items)
DEFINE_spaceseplist = _define(lambda text: text.split() if isinstance(text, str) else list(text))
DEFINE_multi_string = _define(str, several=True)
DEFINE_multi_integer = _define(int, several=True)
DEFINE_multi_float = _define(float, several=True)


def _number(kind):
    def define(name, default=None, help="", lower_bound=None, upper_bound=None, flag_values=FLAGS, required=False, **more):
        def read(text):
            made = kind(text)
            if lower_bound is not None and made < lower_bound or upper_bound is not None and made > upper_bound:
                raise ValueError(f"{made} is not between {lower_bound} and {upper_bound}")
            return made
        return _define(read)(name, default, help, flag_values, required, **more)
    return define


DEFINE_integer, DEFINE_float = _number(int), _number(float)


def DEFINE_enum(name, default, enum_values, help="", flag_values=FLAGS, required=False, **more):
    """A text out of a list."""
    def read(text):
        if text not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return text
    return _define(read)(name, default, help, flag_values, required, **more)


def DEFINE_enum_class(name, default, enum_class, help="", flag_values=FLAGS, required=False, **more):
    """A member of a class of Python's enum, by its name."""
    def read(text):
        return text if isinstance(text, enum_class) else enum_class[text]
    return _define(read)(name, default, help, flag_values, required, **more)


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=FLAGS):
    """A rule that a flag's value must keep once the command line is read. Raises: ValidationError."""
    def check(flags):
        if not checker(flags[flag_name].value):
            raise ValidationError(f"flag --{flag_name}={flags[flag_name].value}: {message}")
    flag_values._rules.append(check)


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    register_validator(flag_name, lambda value: value is not None, f"Flag --{flag_name} must have a value other than None.",
                       flag_values)


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    for name in flag_names:
        mark_flag_as_required(name, flag_values)
