"""The version of the arena, as logs and databases name it; pyproject.toml says the same."""

__version__ = "0.1.0"
