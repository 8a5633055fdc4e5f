"""The paper's figures and table, and what they are made of: Section 4."""
