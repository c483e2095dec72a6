"""Price books: strangers to each other, each imported by its own name."""
