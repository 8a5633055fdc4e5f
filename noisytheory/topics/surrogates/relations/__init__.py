"""What the mean classifier is called elsewhere: SVM, MMD, kernel density, multiple kernels."""
