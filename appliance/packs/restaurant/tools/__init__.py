"""The restaurant's tools: facts from its files, and tables."""

from appliance.packs.restaurant.tools.booking import BOOKING
from appliance.packs.restaurant.tools.hours import HOURS
from appliance.packs.restaurant.tools.menu import MENU

TOOLS = (*HOURS, *MENU, *BOOKING)
