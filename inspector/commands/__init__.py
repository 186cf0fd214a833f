"""The commands. Each reads, asks `inspection` and `reports`, prints, and ends."""
