"""Changed inputs of every kind through parsers, pipeline and formats: none may end in a traceback or hang."""
