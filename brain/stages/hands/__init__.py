"""The hands: each file changes one thing in the notes because a person says so, through the one write path."""
