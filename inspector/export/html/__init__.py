"""A report as one HTML file: no scripts, nothing from elsewhere, every text escaped."""
