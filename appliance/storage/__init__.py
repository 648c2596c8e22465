"""What the box remembers and knows: database, journals, outbox, and the tenants' knowledge files."""
