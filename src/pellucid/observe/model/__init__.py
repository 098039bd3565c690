"""A chat model's claims in, the facts that the turns bear out out; and its word on what is kept or merged."""
