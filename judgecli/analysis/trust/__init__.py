"""From labels to trust: calibration, certified thresholds, alternative annotator test, corrected rates."""
