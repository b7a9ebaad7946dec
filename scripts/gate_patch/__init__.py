"""Admits verify steps of speculative decoding to the 3D path of vLLM's Triton backend, 0.22.0 to 0.32.0.

`plugin` is what runs inside vLLM; the rest installs it, or writes the same change into the source.
"""
