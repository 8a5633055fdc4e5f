"""What a person plans a run with, held against enumeration."""
