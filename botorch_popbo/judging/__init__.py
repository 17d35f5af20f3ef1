"""Ask judges in a terminal or on a page: ``popbo prefer``."""
