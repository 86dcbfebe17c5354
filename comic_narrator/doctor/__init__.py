"""What can be said beforehand: of a book, of this machine, and of what a profile would do on it."""
