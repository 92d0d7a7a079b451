"""Backends of the `Chat` port: a filter program, an OpenAI-compatible endpoint, a recording."""
