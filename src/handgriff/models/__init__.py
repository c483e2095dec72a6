"""Models: one provider a module, strangers to each other."""
