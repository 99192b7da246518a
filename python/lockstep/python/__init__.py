"""What programs import from `tensorflow.python`, as far as Lockstep has it."""
