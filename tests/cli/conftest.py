from tests.registry.hub import caches, hub, no_network

__all__ = ["caches", "hub", "no_network"]
