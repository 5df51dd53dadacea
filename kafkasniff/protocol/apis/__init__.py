"""One definition per API, over all versions."""
