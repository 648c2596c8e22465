"""The tenants' knowledge files: read, checked with file and line, kept as frozen values."""
