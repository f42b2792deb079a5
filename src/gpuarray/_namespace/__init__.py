"""What makes the public modules: lazy submodules, answers for missing names, plain signatures."""
