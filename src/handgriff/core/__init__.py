"""The pure floor: values in, values out. No clock, no randomness, no input or output, no event loop."""
