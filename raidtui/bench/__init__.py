"""Measuring: profiles, fio, the job of a benchmark."""
