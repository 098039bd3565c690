"""What `why` is asked about in, the memory that is meant and the states it was in out."""
