"""Convert the tables' releases into the files that are read: ``popbo data``."""
