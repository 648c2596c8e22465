"""``python -m appliance`` is the command line."""

from appliance.cli import main

main()
