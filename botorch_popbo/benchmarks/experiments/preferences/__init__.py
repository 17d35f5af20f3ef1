"""Choices alone: methods that ask a judge which of two points is better."""
