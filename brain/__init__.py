"""`brain`: a knowledge graph over a folder of Markdown notes."""
