r"""Unbiased estimates of $f(\mathbb EX)$ from independent samples: Section 3.2."""
