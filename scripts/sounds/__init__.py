"""What the sound library is made of: our own synthesis, and samples out of named packages."""
