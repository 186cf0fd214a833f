"""Engines of agents whose releases are known by what their transcripts show and their documents say."""
