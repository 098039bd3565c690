"""Numbers in, drawings of them out: SVG made on the server, coloured by classes alone."""
