"""A folder of documents in, sections, header versions and names out: read, dated, held against what is kept."""
