"""What arrays can become, and how a reshape begins without a risk."""
