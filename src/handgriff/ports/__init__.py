"""The ports: Protocols of what Handgriff needs from outside. Adapters implement them; the core below knows none."""
