"""Benchmarks and destructive trials, each a command. Nothing here is imported by the product."""
