"""What levels give, whatever backend has them: failures survived, ideal speed, what a rebuild reads."""
