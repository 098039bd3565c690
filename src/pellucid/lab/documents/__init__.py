"""The EIP set in, how well documents are read, found and dated out."""
