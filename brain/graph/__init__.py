"""See ARCHITECTURE.md for what this package holds and must not hold."""
