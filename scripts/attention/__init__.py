"""Paged attention in Triton: a reference, the kernels, a launcher with explicit policies, and a sweep."""
