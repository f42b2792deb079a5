"""What makes the public modules: submodules and names that are imported when
they are first used, what they list, answers for missing names, plain signatures."""
