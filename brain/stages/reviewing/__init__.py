"""What waits for a person: the items, how each kind of them is planned anew, and the note that shows them."""
