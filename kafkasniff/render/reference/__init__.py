"""What Kafka's protocol says: layouts of APIs (`apis`) and error codes (`errors`)."""
