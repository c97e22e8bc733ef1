"""What is on a device: signatures, tables, and data that erasing would destroy."""
