"""Which notes are one thing, without a language model: names, fields, evidence in bits, vetoes, groups. Pure."""
