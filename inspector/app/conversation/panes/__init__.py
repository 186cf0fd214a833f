"""The panes next to the message list, one module each; `registry` lists them."""
