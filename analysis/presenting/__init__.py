"""Results as people see them: charts, sentences, tables, reports and files. Pure."""
