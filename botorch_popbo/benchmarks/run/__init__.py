"""Run a campaign: evaluate what is missing side by side, keep every record on disk."""
