"""Functions whose variables are made once."""

from ._graphs import in_graph
from ._variables import _eager_variables, global_variables, local_variables, trainable_variables, variable_scope


class Template:
    """What `make_template` gives: a call makes variables the first time and finds them again from then on."""

    def __init__(self, name, function, create_scope_now, unique_name, custom_getter, options):
        self.name, self._function, self._options = name, function, options
        self._unique_name, self._getter = unique_name, custom_getter
        self._scope, self._made = None, False
        if create_scope_now:
            with self._opened(auxiliary_name_scope=False) as self._scope:
                pass

    def _opened(self, **options):
        return variable_scope(self._unique_name, self.name, custom_getter=self._getter, **options)

    def __call__(self, *args, **kwargs):
        again = self._scope is not None
        with variable_scope(self._scope, reuse=self._made or None) if again else self._opened() as scope:
            self._scope = scope if not again else self._scope
            result = self._function(*args, **self._options, **kwargs)
            self._made = True
            return result

    @property
    def variable_scope(self):
        """The scope of the variables; None before it is made."""
        return self._scope

    var_scope = variable_scope

    def _own(self, of_graph):
        if self._scope is None:
            return []
        prefix = self._scope.name + "/"
        if in_graph():
            return of_graph(prefix)
        return [one for name, one in _eager_variables.items() if name.startswith(prefix)]

    global_variables = property(lambda self: self._own(global_variables))
    local_variables = property(lambda self: self._own(local_variables) if in_graph() else [])
    variables = property(lambda self: self.global_variables + self.local_variables)
    weights = variables

    @property
    def trainable_variables(self):
        """Those that training changes."""
        return [one for one in self._own(trainable_variables) if one.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        """The others."""
        trained = {id(one._v) for one in self.trainable_variables}
        return [one for one in self.variables if not one.trainable and id(one._v) not in trained]

    non_trainable_weights = non_trainable_variables


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A function whose variables its first call makes, and its others find again. `kwargs` are given to each call of
    `func_`. Raises: ValueError without a name, and in a later call that would make another variable."""
    if name_ is None:
        raise ValueError("name cannot be None.")
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_, kwargs)
