"""What a chat model claims in, what the turns bear out of it out; and its word on what is kept or merged."""
