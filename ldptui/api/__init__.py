"""The library that `import ldptui` gives; `ldptui/__init__.py` has the names."""
