"""The cloze test of CNN and Daily Mail: BiDAF that points at an entity."""
