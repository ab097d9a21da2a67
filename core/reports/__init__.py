"""Reports of real users: their files, support counts, estimates and conclusions."""
