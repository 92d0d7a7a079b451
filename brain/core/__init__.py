"""Pure values and functions. No clock, random, environment, disk or network in here."""
