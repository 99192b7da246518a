"""Policies of layers by their paths: `keras.dtype_policies.DTypePolicyMap`."""

import collections.abc
import re

from .. import _refused
from ._policy import DTypePolicy, dtype_policy, get


class DTypePolicyMap(DTypePolicy, collections.abc.MutableMapping):
    """{path, or regular expression of whole paths: policy}. The policy of other paths is `default_policy`, or that of layers
    that say none.

    Raises: TypeError for a map that is no dict."""

    def __init__(self, default_policy=None, policy_map=None):
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError("If specified, `policy_map` must be a dict. Received: "
                            f"policy_map={policy_map} of type {type(policy_map)}")
        self._default_policy = None if default_policy is None else get(default_policy)
        self._policies = {key: get(one) for key, one in (policy_map or {}).items()}

    default_policy = property(lambda self: self._default_policy or dtype_policy())
    name = property(lambda self: f"map_{self.default_policy.name}")
    compute_dtype = property(lambda self: self.default_policy.compute_dtype)
    variable_dtype = property(lambda self: self.default_policy.variable_dtype)

    def __getitem__(self, key):
        """Raises: ValueError for a path that several keys match."""
        if key in self._policies:
            return self._policies[key]
        met = [one for one in self._policies if re.fullmatch(one, key)]
        if len(met) > 1:
            raise ValueError(f"Path '{key}' matches multiple dtype policy specification keys: {met}. Please make sure each path "
                             "only matches at most one dtype policy specification key in the DTypePolicyMap.")
        return self._policies[met[0]] if met else self.default_policy

    def __setitem__(self, key, policy):
        """Raises: ValueError for a key that there is."""
        if key in self._policies:
            raise ValueError(f"{key} already exist in the DTypePolicyMap with value {self._policies[key]}. Please make sure to "
                             "not use duplicated keys.")
        self._policies[key] = get(policy)

    def __delitem__(self, key):
        del self._policies[key]

    def __contains__(self, key):
        return key in self._policies

    def __len__(self):
        return len(self._policies)

    def __iter__(self):
        return iter(self._policies)

    def __eq__(self, other):
        return isinstance(other, DTypePolicyMap) and (self.default_policy, self._policies) == (
            other.default_policy, other._policies)

    __hash__ = object.__hash__

    def __repr__(self):
        mapping = [(key, one.name) for key, one in self._policies.items()]
        return (f"<DTypePolicyMap at {hex(id(self))} default_policy={self.default_policy.name}, mapping={mapping}>")

    def get_config(self):
        from . import saving
        return {"default_policy": None if self._default_policy is None else saving.policy(self._default_policy.name),
                "policy_map": {key: saving.policy(one.name) for key, one in self._policies.items()}}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        _refused.only("DTypePolicyMap.from_config", custom_objects=(custom_objects, None))
        return cls(config["default_policy"], config["policy_map"])
