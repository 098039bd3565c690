"""A memory and a question in, the stage that lost the memory and the change that would admit it out."""
