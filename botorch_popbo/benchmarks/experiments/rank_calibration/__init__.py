"""Whether predicted ranks are as uncertain as they are said to be."""
