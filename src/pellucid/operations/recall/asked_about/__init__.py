"""The words that `why` is asked about in, the memory that is meant and possible changes of its state out."""
