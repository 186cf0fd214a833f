"""Context engines: how a release decides when to compact, and what head, middle and tail become."""
