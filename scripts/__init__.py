"""Scripts that build what ships in the package and in the documents."""
