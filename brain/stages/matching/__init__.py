"""Finding the pairs of a vault that may be one thing: candidates, their evidence, and what is remembered of them."""
