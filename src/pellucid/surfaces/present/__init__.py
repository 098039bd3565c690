"""An operation's answer in, text for a person out: a module for each group of commands."""
