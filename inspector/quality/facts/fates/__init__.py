"""What became of facts in the lists after compactions."""
