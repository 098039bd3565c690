"""A person's or a program's request in, an operation's answer out: a surface chooses words and forms, nothing else."""
