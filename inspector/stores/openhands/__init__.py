"""The conversations of OpenHands."""
