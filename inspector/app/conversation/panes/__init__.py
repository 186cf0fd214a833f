"""The panes beside the message list, one module each; `registry` lists them."""
