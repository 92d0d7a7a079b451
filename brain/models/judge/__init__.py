"""The language-model judge: numbered questions, closed words and verbatim quotes back, verdicts out of them."""
