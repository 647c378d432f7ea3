"""Task models that read the layers of a frozen biLM."""
