"""The command: compile files of CUDA C, run a kernel, say what was found."""
