"""Tools: what the assistant can look up and do; validated, authorised, redeemed, executed and recorded."""
