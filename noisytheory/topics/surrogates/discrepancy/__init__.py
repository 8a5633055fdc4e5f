"""The mean discrepancy of two classes: the norm of the mean of both."""
