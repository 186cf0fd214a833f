"""Logs of model requests that an agent of the user writes."""
