"""One file a format; the file name is the format's name."""
