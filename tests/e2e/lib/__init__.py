"""The end-to-end harness: a kindred process against a wire server, seen from outside."""
