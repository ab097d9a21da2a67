"""Reports of real users: files of them into columns, counts of what they support."""
