"""Redis and Valkey, for hot scratch beside the SQL store. Their library is imported by the adapter alone."""
