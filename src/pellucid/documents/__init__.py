"""A folder of documents in, their sections, header versions and names out, compared with what is stored."""
