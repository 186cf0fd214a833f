"""Logs of model requests that an agent of one's own writes."""
