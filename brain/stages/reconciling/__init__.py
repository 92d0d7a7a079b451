"""What a language model adds to reconcile: notes that are one thing, claims that cannot both hold; and notes that went stale."""
