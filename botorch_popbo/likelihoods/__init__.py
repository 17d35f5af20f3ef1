"""What is said of utilities, and their posterior, as pure tensor functions."""
