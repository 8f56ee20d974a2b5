"""Runs generated code: batches of blocks, memory, warps."""
