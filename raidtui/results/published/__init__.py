"""Figures that others published, as data: one TOML file a study, each with its source."""
