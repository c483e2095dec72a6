"""Machines as pictures: `mermaid` writes text that Mermaid draws, `svg` draws itself. Both show the tools that are bound to each state."""
