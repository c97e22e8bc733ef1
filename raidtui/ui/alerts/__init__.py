"""Alerts: one form."""
