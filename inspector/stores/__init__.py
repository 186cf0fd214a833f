"""Session databases: the Store protocol, which store a path holds, and the readers."""
