"""One question about many conversations, answered by several processes: on this machine, or on a Dask cluster."""
