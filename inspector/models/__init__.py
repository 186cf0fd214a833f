"""A user's own model: attempts at summaries, the judge and recall. The only room that sends anything."""
