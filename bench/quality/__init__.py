"""How good the answers are: measured against labelled sets, offline."""
