"""Stores: one adapter a module, strangers to each other."""
