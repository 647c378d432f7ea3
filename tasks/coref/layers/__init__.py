"""The layers of the coreference model (Lee et al. 2017)."""
