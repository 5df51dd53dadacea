"""One definition per message that is no API, over all versions."""
