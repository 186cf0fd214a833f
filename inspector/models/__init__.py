"""A user's own model: attempts at summaries, and the judge. The only room that sends anything."""
