"""Correcting: where a fact stands, which places restate it wrongly, and the plans that write them anew."""
