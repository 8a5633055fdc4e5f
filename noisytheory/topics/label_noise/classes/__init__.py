"""Two classes mixed into each other, balanced error and AUC; noise that varies by instance."""
