"""Schemas: what a tool takes and gives, as a model is shown it and as the boundary enforces it.

Callers import the module they need. `form` holds the values and costs nothing; `typed` needs pydantic and `imported`
needs jsonschema, so neither is loaded before a tool is defined.
"""
