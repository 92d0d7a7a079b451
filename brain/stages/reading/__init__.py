"""Reading an episode with a language model: what it is shown, what it says, and where actions go."""
