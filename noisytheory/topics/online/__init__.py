"""Online learning of noisy data with kernels."""
