"""What commands print: tables and lines of at most 80 columns."""
