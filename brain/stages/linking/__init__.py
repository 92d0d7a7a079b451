"""Parts of the link stage: which notes may be related, asking the judge about them, insights, isolated notes."""
