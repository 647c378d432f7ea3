"""Word sense disambiguation by the nearest sense vector, without training."""
