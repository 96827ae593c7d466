"""The run of a tournament: batches to executors, records to the store, news to observers."""
