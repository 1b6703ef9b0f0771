"""Made-up logs of the tools whose formats are read, one module a tool."""
