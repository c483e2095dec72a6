"""The boundary: the one pipeline every call passes, and the only importer of handlers."""
