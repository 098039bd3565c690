"""A git checkout in, the history of its files out, read so that nothing the repository names is run or fetched."""
