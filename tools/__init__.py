"""What keeps this repository in order; not part of the packages."""
