"""What is predicted: utilities, differences and ranks of new points."""
