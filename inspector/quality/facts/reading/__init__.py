"""What one message says: its prose, its sentences, the statements in them."""
