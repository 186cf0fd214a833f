"""Trajectories in the Agent Trajectory Interchange Format (ATIF)."""
