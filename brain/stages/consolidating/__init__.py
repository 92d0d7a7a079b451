"""Folding what a note says twice: which claims stand, which of them say the same, and the plan that makes one of them."""
