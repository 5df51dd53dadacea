"""Tables as lakehouses have them: which Parquet files are of a table is said by its log, and changes all at once.

`delta` and `iceberg` each commit files that lie below a table's folder already, and tell which are the table's by now.
They do so without Spark, by the formats' own libraries for Python (`kafkasniff[lake]`). `formats` says which there are;
`tables` is for who reads or writes tables of any.
"""
