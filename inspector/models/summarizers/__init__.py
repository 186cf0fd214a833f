"""What writes a summary: a command of the user's, or an endpoint that speaks as OpenAI's does."""
