"""Natural language inference on SNLI, by ESIM."""
