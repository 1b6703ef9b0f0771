"""Sizes for people, in the decimal units that the hub shows."""


def human_size(n_bytes: int) -> str:
    """Return a size such as `4.08 GB` or `98.4 MB`, three digits; bytes below 1 kB are whole."""
    if n_bytes < 1000:
        return f"{n_bytes} B"
    for unit, scale in (("kB", 10**3), ("MB", 10**6), ("GB", 10**9)):
        if n_bytes < 999.5 * scale:
            return f"{n_bytes / scale:#.3g} {unit}".replace(". ", " ")
    return f"{n_bytes / 10**12:.2f} TB"
