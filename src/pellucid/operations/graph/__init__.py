"""The name of a thing in, what was true of it and what it hangs together with out."""
