"""Programs that show Handgriff at work. Nothing of the package imports them."""
