"""The nightly job: what a platform's own scheduler is told, and telling it. No daemon of our own."""
