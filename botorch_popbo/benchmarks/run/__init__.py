"""Run a campaign: plan it, evaluate what is missing side by side, keep every record on disk."""
