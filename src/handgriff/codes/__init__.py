"""Code senders: ways to a person that no model, transcript or log lies on. Strangers to each other, each imported by its own name."""
