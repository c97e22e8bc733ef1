"""This room measures: the grid, fio, sessions."""
