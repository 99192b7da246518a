"""What Keras takes for an object: its name, its config, its class, or itself."""


def identified(identifier, known, what):
    """The object that an identifier means; `known` has classes by name. Raises: ValueError for a name that is not there."""
    if isinstance(identifier, dict):
        if identifier["class_name"] not in known:
            from . import saving
            return saving.deserialize_keras_object(identifier)
        return known[identifier["class_name"]](**identifier.get("config", {}))
    if isinstance(identifier, str):
        if identifier not in known:
            raise ValueError(f"Could not interpret {what} identifier: {identifier}")
        return known[identifier]()
    return identifier() if isinstance(identifier, type) else identifier
