"""An opened home in, the parts of a framework for agents out, one module a framework; each needs its framework
installed."""
