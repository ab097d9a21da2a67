"""What `import ldptui` gives to notebooks and programs; `ldptui/__init__.py` has the names."""
