"""Python's control flow over tensors.

`function` rewrites the source of what it traces: `if`, `while`, `for`, `break`, `continue`, `return`,
`and`, `or`, `not`, conditional expressions and `assert` become calls of `_autograph_run`, which keep
Python's meaning for Python values and become part of the graph for tensors. Lines stay where they
are, so tracebacks name the user's."""

import ast
import collections
import enum
import functools
import inspect
import os
import sys
import textwrap
import threading
import types
import weakref

from . import _autograph_places as places
from . import _autograph_run as run
from . import _refused

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_lock = threading.RLock()
_codes = weakref.WeakKeyDictionary()  # code -> the rewritten code, or None
_RUN, _PLACES = "lockstep_run__", "lockstep_places__"


class do_not_convert:
    """Decorates a function that is to be traced as it stands."""

    def __new__(cls, func=None):
        if func is None:
            return do_not_convert
        func._lockstep_plain = True
        return func


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The rewritten source of a function."""
    return ast.unparse(_rewritten_tree(entity)[0])


def _is_users(function):
    code = getattr(function, "__code__", None)
    if code is None or getattr(function, "_lockstep_plain", False):
        return False
    path = code.co_filename
    if path.startswith(_PACKAGE):
        return False
    module = getattr(function, "__module__", None) or ""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names or root in ("numpy", "pytest", "scipy", "IPython"):
        return root == "__main__"
    return "site-packages" not in path


def convert_callable(function):
    """The rewritten function; the function itself where there is nothing to rewrite or no source."""
    if isinstance(function, functools.partial):
        return functools.partial(convert_callable(function.func), *function.args,
                                 **function.keywords)
    if inspect.ismethod(function):
        inner = convert_callable(function.__func__)
        return types.MethodType(inner, function.__self__)
    if not isinstance(function, types.FunctionType) or not _is_users(function):
        return function
    done = function.__dict__.get("_lockstep_converted")
    if done is not None and (done is function or done.__wrapped_original__ is function):  # else one that
        return done  # functools.wraps has copied from the function that this one wraps
    with _lock:
        code = _code_for(function)
    if code is None:
        return function
    made = _with_cells(function, code)
    made._lockstep_converted = made
    made.__wrapped_original__ = function
    try:
        function._lockstep_converted = made
    except AttributeError:
        pass
    return made


def _code_for(function):
    if function.__code__ in _codes:
        return _codes[function.__code__]
    try:
        tree, changed = _rewritten_tree(function)
        code = _compiled(function, tree) if changed else None
    except (OSError, TypeError, SyntaxError, IndentationError, _NoSource):
        code = None
    _codes[function.__code__] = code
    return code


class _NoSource(Exception):
    pass


def _rewritten_tree(function):
    node = _node_of(function)
    if isinstance(node, ast.Lambda):
        rewriter = _Expressions(function)
        inner = rewriter.visit(node.body)
        made = ast.FunctionDef(name=_name_of(function), args=node.args, decorator_list=[],
                               body=[ast.copy_location(ast.Return(inner), node.body)], returns=None,
                               type_comment=None)
        return ast.fix_missing_locations(ast.copy_location(made, node)), rewriter.changed
    if any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Await)) for one in _own_nodes(node)):
        return node, False
    return _rewrite_function(node, function)


def _name_of(function):
    name = function.__name__
    return name if name.isidentifier() else "lambda_"


def _node_of(function):
    code = function.__code__
    lines, first = inspect.getsourcelines(code)  # of a function it would be that of what it wraps
    source = "".join(lines)
    dedented = textwrap.dedent(source)
    column = len(lines[0]) - len(lines[0].lstrip())
    try:
        tree = ast.parse(dedented)
    except SyntaxError:
        with open(code.co_filename) as file:
            tree = ast.parse(file.read())
        first, column = 1, 0
    ast.increment_lineno(tree, first - 1)
    is_lambda = code.co_name == "<lambda>"
    found = []
    for node in ast.walk(tree):
        if is_lambda and isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            names = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
            if tuple(names) == code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]:
                found.append(node)
        elif not is_lambda and isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            if min([node.lineno] + [d.lineno for d in node.decorator_list]) == code.co_firstlineno:
                found.append(node)
    if is_lambda and len(found) > 1:
        found = [one for one in found if _same_code(one, code)]
    if len(found) != 1:
        raise _NoSource()
    return found[0]


def _same_code(node, code):
    made = compile(ast.fix_missing_locations(ast.Expression(node)), "<lambda>", "eval")
    inner = next(one for one in made.co_consts if isinstance(one, types.CodeType))
    return (inner.co_code, inner.co_names) == (code.co_code, code.co_names)


def _compiled(function, node):
    """The code of the rewritten function, inside of one that has its free variables."""
    code = function.__code__
    free = list(code.co_freevars)
    node.decorator_list = []
    node.returns = None
    arguments = node.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [None if d is None else ast.Constant(None)
                             for d in arguments.kw_defaults]
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
        argument.annotation = None
    give = ast.Return(ast.Name(node.name, ast.Load()))
    outer = ast.FunctionDef(
        name="factory__", decorator_list=[], returns=None, type_comment=None, body=[node, give],
        args=ast.arguments(posonlyargs=[], kwonlyargs=[], kw_defaults=[], defaults=[], vararg=None,
                           kwarg=None, args=[ast.arg(name) for name in free + [_RUN, _PLACES]]))
    module = ast.Module([ast.copy_location(outer, node)], [])
    ast.fix_missing_locations(module)
    made = compile(module, code.co_filename, "exec")
    factory = next(one for one in made.co_consts if isinstance(one, types.CodeType))
    return next(one for one in factory.co_consts
                if isinstance(one, types.CodeType) and one.co_name == node.name)


def _with_cells(function, code):
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[_RUN], cells[_PLACES] = types.CellType(run), types.CellType(places)
    # A function that calls itself names a global, which the definition around its new code shadows.
    closure = tuple(cells[name] if name in cells else types.CellType(function.__globals__[name]) for name in code.co_freevars)
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__,
                              closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__doc__ = function.__doc__
    made.__module__ = function.__module__
    made.__qualname__ = function.__qualname__
    made.__dict__.update({k: v for k, v in function.__dict__.items() if k != "_lockstep_converted"})
    return made


# ---- looking at trees -----------------------------------------------------------------------------

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _own_nodes(node):
    """The nodes below, without those of inner functions and classes."""
    todo = list(ast.iter_child_nodes(node))
    while todo:
        one = todo.pop()
        yield one
        if not isinstance(one, _SCOPES):
            todo.extend(ast.iter_child_nodes(one))


def _has(statements, kinds, stop=()):
    """Whether one of `kinds` is below `statements`, not looking into `stop`."""
    todo = list(statements)
    while todo:
        one = todo.pop()
        if isinstance(one, kinds):
            return True
        if not isinstance(one, _SCOPES + tuple(stop)):
            todo.extend(ast.iter_child_nodes(one))
    return False


def _assigned(statements):
    """The names that statements bind, in a fixed order."""
    names = []
    todo = list(statements)
    while todo:
        one = todo.pop(0)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.append(one.id)
        elif isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            names.append(one.name)
            continue
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            names.extend((alias.asname or alias.name).partition(".")[0] for alias in one.names)
        elif isinstance(one, ast.ExceptHandler) and one.name:
            pass
        if not isinstance(one, _SCOPES + (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            todo.extend(ast.iter_child_nodes(one))
    return list(dict.fromkeys(names))


def _occurrences(statements):
    """How often each name stands in statements, functions inside included."""
    found = collections.Counter()
    for statement in statements:
        for one in ast.walk(statement):
            if isinstance(one, ast.Name):
                found[one.id] += 1
            elif isinstance(one, (ast.Global, ast.Nonlocal)):
                found.update(one.names)
            elif isinstance(one, (ast.FunctionDef, ast.ClassDef)):
                found[one.name] += 1
            elif isinstance(one, ast.alias):
                found[(one.asname or one.name).partition(".")[0]] += 1
    return found


def _name(identifier):
    return ast.Name(identifier, ast.Load())


def _call(method, *arguments, of=_RUN):
    return ast.Call(ast.Attribute(_name(of), method, ast.Load()), list(arguments), [])


def _lambda(expression):
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[],
                          vararg=None, kwarg=None)
    return ast.Lambda(empty, expression)


def _loaded(node):
    """The expression that reads what an expression assigns."""
    return ast.parse(ast.unparse(node), mode="eval").body


def _read(source, node):
    return _call("read", ast.Constant(source), _lambda(_loaded(node)), of=_PLACES)


def _put(node, local):
    owner = _lambda(_loaded(node.value))
    if isinstance(node, ast.Attribute):
        return ast.Expr(_call("put_attribute", owner, ast.Constant(node.attr), _name(local), of=_PLACES))
    return ast.Expr(_call("put_item", owner, _lambda(_loaded(node.slice)), _name(local), of=_PLACES))


def _set(identifier, value):
    return ast.Assign([ast.Name(identifier, ast.Store())], value)


# ---- expressions ----------------------------------------------------------------------------------


class _Expressions(ast.NodeTransformer):
    """Rewrites expressions, statements' and those of inner functions too."""

    def __init__(self, function):
        self.function = function
        self.changed = False

    def _made(self, node, old):
        self.changed = True
        return ast.copy_location(node, old)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        if any(isinstance(one, ast.NamedExpr) for one in ast.walk(node)):
            return node
        method = "and_" if isinstance(node.op, ast.And) else "or_"
        return self._made(_call(method, *[ast.copy_location(_lambda(one), one)
                                          for one in node.values]), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return self._made(_call("not_", node.operand), node)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 or any(isinstance(one, (ast.NamedExpr, ast.Call))
                                     for one in node.comparators[:-1]):
            return node
        parts, left = [], node.left
        for operator, right in zip(node.ops, node.comparators):
            parts.append(ast.copy_location(_lambda(ast.Compare(left, [operator], [right])), node))
            left = right
        return self._made(_call("and_", *parts), node)

    def visit_IfExp(self, node):
        self.generic_visit(node)
        if any(isinstance(one, ast.NamedExpr) for one in ast.walk(node)):
            return node
        return self._made(_call("if_expression", node.test, _lambda(node.body),
                                _lambda(node.orelse)), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "globals", "vars",
                                                                 "print", "eval", "exec", "isinstance",
                                                                 "type", "getattr", "hasattr", "str",
                                                                 _RUN):
            return node
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) \
                and node.func.value.id in (_RUN, _PLACES):
            return node
        node.func = ast.copy_location(_call("callee", node.func), node.func)
        self.changed = True
        return node

    def visit_ClassDef(self, node):
        return node


# ---- statements -----------------------------------------------------------------------------------


class _Lower:
    """Turns break, continue and return into flags, so that a block is left at its end alone."""

    def __init__(self):
        self.count = 0
        self.returns = False

    def fresh(self, stem):
        self.count += 1
        return f"{stem}_{self.count}__"

    def block(self, statements, loop=None):
        """`loop`: the flags (break, continue) of the loop around."""
        made = []
        for place, one in enumerate(statements):
            flags = []
            made.extend(self.statement(one, loop, flags))
            rest = statements[place + 1:]
            if flags and rest:
                made.append(self.guarded(flags, self.block(rest, loop), one))
                return made
            if isinstance(one, (ast.Break, ast.Continue, ast.Return)):
                return made
        return made

    def guarded(self, flags, statements, near):
        tests = [_call("not_", _name(flag)) for flag in dict.fromkeys(flags)]
        test = tests[0] if len(tests) == 1 else _call("and_", *[_lambda(one) for one in tests])
        return ast.copy_location(ast.If(test, statements or [ast.Pass()], []), near)

    def statement(self, one, loop, flags):
        """The statements instead of `one`; adds the flags that it may have raised."""
        if isinstance(one, ast.Break):
            flags.append(loop[0])
            return [ast.copy_location(_set(loop[0], ast.Constant(True)), one)]
        if isinstance(one, ast.Continue):
            flags.append(loop[1])
            return [ast.copy_location(_set(loop[1], ast.Constant(True)), one)]
        if isinstance(one, ast.Return):
            self.returns = True
            flags.append("returned__")
            value = one.value or ast.Constant(None)
            return [ast.copy_location(_set("returned__", ast.Constant(True)), one),
                    ast.copy_location(_set("result__", value), one)]
        if isinstance(one, _SCOPES):
            return [one]
        if isinstance(one, (ast.While, ast.For)):
            return self.loop(one, flags)
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(one, field, None)
            if inner:
                setattr(one, field, self.inner(inner, loop, flags))
        for handler in getattr(one, "handlers", []):
            handler.body = self.inner(handler.body, loop, flags)
        return [one]

    def inner(self, statements, loop, flags):
        if _has(statements, ast.Return):
            flags.append("returned__")
        if loop is not None and _has(statements, ast.Break, (ast.While, ast.For)):
            flags.append(loop[0])
        if loop is not None and _has(statements, ast.Continue, (ast.While, ast.For)):
            flags.append(loop[1])
        return self.block(statements, loop)

    def loop(self, one, flags):
        breaks = _has(one.body, ast.Break, (ast.While, ast.For))
        continues = _has(one.body, ast.Continue, (ast.While, ast.For))
        returns = _has(one.body, ast.Return)
        own = (self.fresh("break"), self.fresh("continue"))
        leave = ([own[0]] if breaks else []) + (["returned__"] if returns else [])
        before = [ast.copy_location(_set(own[0], ast.Constant(False)), one)] if breaks else []
        body = self.block(one.body, own)
        if continues:
            body.insert(0, ast.copy_location(_set(own[1], ast.Constant(False)), one))
        one.body = body
        one.leave__ = leave
        after = []
        if one.orelse:
            otherwise = self.inner(one.orelse, None, flags)
            one.orelse = []
            after = [self.guarded(leave, otherwise, one)] if leave else otherwise
        if returns:
            flags.append("returned__")
        return before + [one] + after


class _Statements:
    """Turns if, while, for and assert into calls."""

    def __init__(self, fixed, shared, seen):
        self.fixed = fixed      # names that are global
        self.shared = shared    # names that are of an outer function
        self.seen = seen        # how often the function has each name of its own
        self.count = 0
        self.names = []         # everything that branches and loops bind

    def block(self, statements):
        made = []
        for one in statements:
            made.extend(self.statement(one))
        return made

    def statement(self, one):
        if isinstance(one, ast.If):
            return self.if_statement(one)
        if isinstance(one, ast.While):
            return self.while_statement(one)
        if isinstance(one, ast.For):
            return self.for_statement(one)
        if isinstance(one, ast.Assert):
            message = one.msg or ast.Constant("")
            return [ast.copy_location(ast.Expr(_call("assert_", one.test, _lambda(message))), one)]
        if isinstance(one, _SCOPES):
            return [one]
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(one, field, None)
            if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                setattr(one, field, self.block(inner))
        for handler in getattr(one, "handlers", []):
            handler.body = self.block(handler.body)
        return [one]

    def function(self, name, body, near, names, parameters=()):
        """A function of no result that binds names of the function around it."""
        declared = []
        globals_ = [one for one in names if one in self.fixed]
        locals_ = [one for one in names if one not in self.fixed]
        if globals_:
            declared.append(ast.Global(globals_))
        if locals_:
            declared.append(ast.Nonlocal(locals_))
        arguments = ast.arguments(posonlyargs=[], args=[ast.arg(p) for p in parameters], kwonlyargs=[],
                                  kw_defaults=[], defaults=[], vararg=None, kwarg=None)
        return ast.copy_location(
            ast.FunctionDef(name=name, args=arguments, body=declared + (body or [ast.Pass()]),
                            decorator_list=[], returns=None, type_comment=None), near)

    def state(self, number, names, held, near):
        """Functions that read and set the names, and the places that are `held`."""
        get = self.function(f"get_{number}__", [ast.Return(ast.Tuple(
            [_name(one) for one in names] + [_read(*one) for one in held.items()], ast.Load()))], near, [])
        locals_ = [f"place_{i}__" for i in range(len(held))]
        target = ast.Tuple([ast.Name(one, ast.Store()) for one in names + locals_], ast.Store())
        body = [ast.Assign([target], _name("values__"))] if names or held else [ast.Pass()]
        body += [_put(node, local) for node, local in zip(held.values(), locals_)]
        return [get, self.function(f"put_{number}__", body, near, names, ["values__"])]

    def call(self, method, number, near, names, *arguments, own=None):
        """`names`: of variables and places. `own`: those that nothing outside of a loop's body has."""
        listed = [ast.Tuple([ast.Constant(one) for one in some], ast.Load()) for some in (names, own) if some is not None]
        place = ast.Tuple([ast.Constant(near.lineno)], ast.Load())
        return ast.copy_location(ast.Expr(_call(
            method, *arguments, _name(f"get_{number}__"), _name(f"put_{number}__"), listed[0], place, *listed[1:])),
            near)

    def own(self, names, statements):
        """Those of the names that stand in these statements only."""
        return [one for one, count in _occurrences(statements).items() if one in names and self.seen[one] == count]

    def begin(self, statements):
        """(the statement's number, the names that statements bind, the places that they assign)"""
        self.count += 1
        names = _assigned(statements)
        held = places.places_in(statements, names, _SCOPES)
        names = [one for one in names if not one.startswith(("get_", "put_", "body_", "else_",
                                                              "test_")) or not one.endswith("__")]
        self.names.extend(names)
        return self.count, names, held

    def if_statement(self, one):
        number, names, held = self.begin(one.body + one.orelse)
        body = self.function(f"body_{number}__", self.block(one.body), one, names)
        otherwise = self.function(f"else_{number}__", self.block(one.orelse), one, names)
        return self.state(number, names, held, one) + [body, otherwise, self.call(
            "if_statement", number, one, names + list(held), one.test, _name(f"body_{number}__"),
            _name(f"else_{number}__"))]

    def leaving(self, one):
        return [_call("not_", _name(flag)) for flag in getattr(one, "leave__", [])]

    def while_statement(self, one):
        number, names, held = self.begin(one.body)
        own = self.own(names, one.body)
        tests = self.leaving(one) + [one.test]
        test = tests[0] if len(tests) == 1 else _call("and_", *[_lambda(t) for t in tests])
        check = self.function(f"test_{number}__", [ast.Return(test)], one, [])
        body = self.function(f"body_{number}__", self.block(one.body), one, names)
        return self.state(number, names, held, one) + [check, body, self.call(
            "while_statement", number, one, names + list(held), _name(f"test_{number}__"),
            _name(f"body_{number}__"), own=own)]

    def for_statement(self, one):
        take = ast.copy_location(ast.Assign([one.target], _name("item__")), one)
        number, names, held = self.begin([take] + one.body)
        own = self.own(names, [ast.Expr(one.target)] + one.body)
        tests = self.leaving(one)
        test = ast.Constant(True) if not tests else (
            tests[0] if len(tests) == 1 else _call("and_", *[_lambda(t) for t in tests]))
        check = self.function(f"test_{number}__", [ast.Return(test)], one, [])
        body = self.function(f"body_{number}__", [take] + self.block(one.body), one, names, ["item__"])
        checked = _name(f"test_{number}__") if tests else ast.Constant(None)
        return self.state(number, names, held, one) + [check, body, self.call(
            "for_statement", number, one, names + list(held), one.iter, checked, _name(f"body_{number}__"), own=own)]


def _rewrite_function(node, function):
    """(the rewritten definition, whether anything has changed)"""
    flows = (ast.If, ast.While, ast.For, ast.Assert)
    expressions = _Expressions(function)
    node.body = [expressions.visit(one) for one in node.body]
    has_flow = any(isinstance(one, flows) for one in _own_nodes(node))
    for inner in _own_nodes(node):
        if isinstance(inner, ast.FunctionDef) and not any(
                isinstance(one, (ast.Yield, ast.YieldFrom)) for one in _own_nodes(inner)):
            _rewrite_body(inner)
    if has_flow:
        _rewrite_body(node)
    return node, has_flow or expressions.changed


def _rewrite_body(node):
    document = []
    body = node.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        document, body = body[:1], body[1:]
    declared = [one for one in body if isinstance(one, (ast.Global, ast.Nonlocal))]
    body = [one for one in body if one not in declared]
    fixed = {name for one in declared if isinstance(one, ast.Global) for name in one.names}
    shared = {name for one in declared if isinstance(one, ast.Nonlocal) for name in one.names}
    simple = bool(body) and not _has(
        [one for one in body if not isinstance(one, ast.Return)], ast.Return)
    lower = _Lower()
    if simple:
        tail = body[-1:] if isinstance(body[-1], ast.Return) else []
        head = lower.block(body[:-1] if tail else body)
    else:
        head = lower.block(body)
        tail = [ast.copy_location(ast.Return(_call("result", _name("result__"))), body[-1])]
    parameters = {a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs}
    parameters |= {a.arg for a in (node.args.vararg, node.args.kwarg) if a is not None}
    seen = _occurrences(head + tail)
    for name in parameters | fixed | shared:
        seen.pop(name, None)
    statements = _Statements(fixed, shared, seen)
    made = statements.block(head)
    first = []
    if not simple:
        first.append(_set("returned__", ast.Constant(False)))
        first.append(_set("result__", _call("no_result")))
        parameters |= {"returned__", "result__"}
    for name in dict.fromkeys(statements.names):
        if name not in parameters and name not in fixed and name not in shared:
            first.append(_set(name, _call("undefined", ast.Constant(name))))
    for one in first:
        ast.copy_location(one, node.body[0])
    node.body = document + declared + first + made + tail
    ast.fix_missing_locations(node)


class experimental:
    """Hints for traced functions."""

    class Feature(enum.Enum):
        """Parts of a conversion that `tf.function` may be asked for; they are always all there."""
        ALL = "ALL"
        AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
        ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
        BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
        EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
        LISTS = "LISTS"
        NAME_SCOPES = "NAME_SCOPES"

        @classmethod
        def all_but(cls, exclude):
            """All of them but one, or those of a list."""
            left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
            return tuple(one for one in cls if one not in left_out and one is not cls.ALL)

    @staticmethod
    def do_not_convert(func=None):
        """A function that is called as it is while others are traced."""
        return do_not_convert(func)

    @staticmethod
    def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None,
                         shape_invariants=None):
        """Options of the loop in whose body it stands. They are not needed: shapes may grow along axis 0."""


def trace(*args):
    """Prints what is there while a function is traced: symbolic tensors, not their values."""
    print(*args)


def set_verbosity(level, alsologtostdout=False):
    """Taken; what cannot be traced is told in an error, not in a log."""


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The function with its control flow over tensors taken over, as `tf.function` does before it traces. Functions that it
    calls are taken over, too."""
    _refused.only("autograph.to_graph", recursive=(recursive, True))
    return convert_callable(entity)
