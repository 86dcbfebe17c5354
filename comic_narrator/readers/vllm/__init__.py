"""Reading by a multimodal model on a server."""
