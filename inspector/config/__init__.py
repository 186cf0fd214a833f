"""Settings, models and prices, the program's own folders and databases, bundled data."""
