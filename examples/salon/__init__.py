"""A hair salon with a booking assistant: its own database and rules, tools over them, and a conversation that plays without a key."""
