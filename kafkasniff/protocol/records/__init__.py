"""Record batches of all three formats: their headers, their compression and their records."""
