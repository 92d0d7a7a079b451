"""The tree of `part_of`: where new notes are hung, and plans that put it in order. Writes through `commit` alone."""
