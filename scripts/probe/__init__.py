"""Reads serve logs of vLLM and says whether the 3D path serves verify steps, and if not, what to change."""
