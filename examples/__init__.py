"""How to run the binaries on several machines."""
