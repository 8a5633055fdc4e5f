"""What the mean classifier is called elsewhere: SVM, kernel density, multiple kernels."""
