"""What users bring along: problems and methods in Python files, tables as CSV files."""
