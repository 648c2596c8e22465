"""The restaurant: tables by phone, hours, menu and allergens. A hairdresser runs on it as well."""

from appliance.conversation.models import Matter
from appliance.packs import Pack
from appliance.packs.restaurant.records import MIGRATIONS
from appliance.packs.restaurant.tools import TOOLS
from appliance.tools.front_desk import FRONT_DESK

RESERVATION = Matter(
    name="reservation",
    slots=("people", "date", "time", "name", "phone"),
    arguments={
        "people": "guests",
        "date": "date",
        "time": "time",
        "name": "customer_name",
        "phone": "phone",
    },
    check_tool="check_availability",
    check_slots=("date", "time", "people"),
    write_tool="book_reservation",
)

RESTAURANT = Pack("restaurant", (*FRONT_DESK, *TOOLS), (RESERVATION,), MIGRATIONS)
