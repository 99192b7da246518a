"""What Keras takes for an object: its name, its config, its class, or itself."""


def serialize(made):
    """An object as a dict of its class and its options."""
    from . import saving
    return saving.serialize_keras_object(made)


def deserializer(get):
    """What makes an object of such a dict, or of its name, where `get` takes a name or a dict of class and options."""
    def deserialize(config, custom_objects=None):
        """The object of a name, or of a dict of its class and its options."""
        from . import saving
        known = (custom_objects or {}).get(config.get("class_name")) if isinstance(config, dict) else None
        if known is not None:
            return known(**config.get("config", {}))
        return get(config) if isinstance(config, str) or "module" not in config else saving.deserialize_keras_object(config)
    return deserialize


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
