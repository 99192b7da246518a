"""Runs in parts: what is fed comes in pieces, and each op happens once over all of them."""

import itertools

from ... import _native, errors, nest
from ..._dtypes import resource
from ..._tensor import Tensor
from ..._variable import UnreadVariable, Variable
from ._graphs import GraphOperation


def _refuse(text):
    return errors.InvalidArgumentError(None, None, text)


def _taken(op):
    """What an op takes from other ops: constants have no name."""
    return [one for one in op.inputs if one._symbolic and _native.name_of(one) is not None]


class _Parts:
    """A run that `partial_run_setup` has begun: which feeds and fetches are left, and what is known so far, by names."""

    def __init__(self, session, fetches, feeds):
        self._session = session
        self._feeds = {one.name: one for one in feeds}  # those to come
        self._fetches = {one.name: one for one in fetches}  # those nobody has asked for
        self._all = dict(self._fetches)
        self._fed, self._kept = {}, {}
        self._done = set()  # names of ops
        self._ops = {}  # all that the fetches need
        waiting = [one.op for one in fetches if isinstance(one, Tensor) and one.name not in self._feeds] + [
            one for one in fetches if isinstance(one, GraphOperation)]
        while waiting:
            op = waiting.pop()
            if op.name not in self._ops:
                self._ops[op.name] = op
                waiting += [one.op for one in _taken(op) if one.name not in self._feeds] + op.control_inputs
        self._held = {one.name for op in self._ops.values() for one in op.control_inputs}  # which cannot be cut off

    is_over = property(lambda self: not self._feeds and not self._fetches)

    def _missing(self, op, feeds):
        """The name of a feed to come that an op needs, or None."""
        waiting, seen = [op], set()
        while waiting:
            op = waiting.pop()
            if op.name in seen:
                continue
            seen.add(op.name)
            for one in _taken(op):
                if one.name in feeds:
                    return one.name
                if one.name not in self._fed and one.name not in self._kept:
                    waiting.append(one.op)
            waiting += op.control_inputs
        return None

    def run(self, fetches, fed):
        """The values of fetches by their names, after feeds {name: (tensor, value)}."""
        for what, past, given, left in (("feed", "fed", fed, self._feeds), ("fetch", "fetched", fetches, self._fetches)):
            for name in given:
                if name not in left:
                    known = name in self._fed if what == "feed" else name in self._all
                    raise _refuse(f"The {what} {name} has already been {past}." if known else
                                  f"The {what} {name} was not specified in partial_run_setup.")
        left = {name for name in self._feeds if name not in fed}
        for name in fetches:
            one = self._all[name]
            missing = name if name in left else self._missing(one.op, left) if isinstance(one, Tensor) else None
            if missing is not None:
                raise _refuse(f"Fetch {missing} can't be computed from the feeds that have been fed so far.")
        for name, pair in fed.items():
            self._fed[name] = pair
            del self._feeds[name]
        self._compute(set(fetches))
        for name in fetches:
            del self._fetches[name]
        return {name: self._fed[name][1] if name in self._fed else self._kept[name][1] for name in fetches}

    def _run_with(self, names):
        """The ops that happen with these, by names. Raises: UnimplementedError for one that would happen a second time."""
        made, waiting = {}, [self._ops[name] for name in names]
        while waiting:
            op = waiting.pop()
            if op.name in made:
                continue
            if op.name in self._done and op.type != "NoOp":
                raise errors.UnimplementedError(None, None, f"[partial_run] each op happens once; {op.name} has happened in an "
                                                "earlier part, and what is asked for now waits for it without its value; fetch both "
                                                "in one part")
            made[op.name] = op
            waiting += [one.op for one in _taken(op) if one.name not in self._fed and one.name not in self._kept] + op.control_inputs
        return made

    def _compute(self, wanted):
        """Carries out all that the feeds so far allow, and keeps what later parts need."""
        able = {name: op for name, op in self._ops.items() if name not in self._done and self._missing(op, self._feeds) is None}
        ready = self._run_with([name for name, op in able.items() if not self._feeds or name not in self._held  # whose waiters
                                or any(one.name in wanted for one in op.outputs)])  # happen with it
        later = {one.name for name, op in self._ops.items() if name not in ready and name not in self._done
                 for one in _taken(op)}
        asked = {one.name: one for op in ready.values() for one in op.outputs
                 if one.dtype != resource and (one.name in later or one.name in self._all)}
        asked |= {name: one for name, one in self._all.items()
                  if isinstance(one, Variable) and name in wanted or isinstance(one, GraphOperation) and name in ready}
        asked = {name: one for name, one in asked.items() if name not in self._fed and name not in self._kept}
        feeds = {one: value for one, value in itertools.chain(self._fed.values(), self._kept.values()) if isinstance(one, Tensor)}
        values = self._session.run(list(asked.values()), feeds) if asked else []
        self._kept.update((name, (one, value)) for (name, one), value in zip(asked.items(), values))
        self._done.update(ready)


class PartialRuns:
    """How a session runs a graph in parts."""

    def partial_run_setup(self, fetches, feeds=None):
        """Begins a run whose feeds come in pieces, and gives a handle for `partial_run`.

        Args: fetches: all that will be asked for; feeds: all that will be fed.
        Raises: InvalidArgumentError for no fetches; ValueError and TypeError for what is no part of the graph."""
        self._require_open()
        leaves = [self._element(one) for one in nest.flatten(fetches)]
        if not leaves:
            raise _refuse("Must specify at least one target to fetch or execute.")
        given = [self._element(one) for one in nest.flatten(feeds or [])]
        parts = self.__dict__.setdefault("_parts", {})
        self._begun = self.__dict__.get("_begun", 0) + 1
        handle = f"{','.join(one.name for one in given)}->{','.join(one.name for one in leaves)}//1/;{self._begun}"
        parts[handle] = _Parts(self, leaves, given)
        return handle

    def partial_run(self, handle, fetches, feed_dict=None):
        """The values of some of a run's fetches, in their structure, after some of its feeds. Each op happens once, as soon as
        its feeds are there; the run is over when all has been fed and fetched.

        Raises: InvalidArgumentError for a run that is over, for what has been fed or fetched before or was not announced, and
        for a fetch whose feeds are not all there; RuntimeError for an op without a value."""
        from ._sessions import _fed_pairs
        self._require_open()
        leaves = [self._element(one) for one in nest.flatten(fetches)]
        targets = [one for one in leaves if isinstance(one, GraphOperation)]
        if targets:
            raise RuntimeError(f"partial_run() requires empty `target_list`. Received: target_list={targets} (non-empty)")
        found = self.__dict__.get("_parts", {}).get(handle)
        if found is None:
            raise _refuse("Must run 'setup' before performing partial runs!")
        fed = {}
        for key, value in _fed_pairs(feed_dict):
            one = self._element(key)
            fed[one.name] = (one, value)
        values = found.run(list(dict.fromkeys(one.name for one in leaves)), fed)
        if found.is_over:
            del self._parts[handle]
        return nest._pack(fetches, iter([values[one.name] for one in leaves]))

    def _element(self, one):
        """The tensor, op or variable that is fetched or fed."""
        if isinstance(one, str):
            try:
                return self.graph.as_graph_element(one)
            except (KeyError, ValueError) as error:
                raise ValueError(f"Argument `fetch` = {one} cannot be interpreted as a Tensor. ({error})") from None
        if isinstance(one, UnreadVariable):
            return one._value
        if not isinstance(one, (Tensor, Variable, GraphOperation)):
            raise TypeError(f"Argument `fetch` = {one} has invalid type \"{type(one).__name__}\" must be a string or Tensor. "
                            f"(Can not convert a {type(one).__name__} into a Tensor or Operation.)")
        return one
