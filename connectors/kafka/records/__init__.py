"""Records of Kafka: from its bytes to the job's records and back."""
