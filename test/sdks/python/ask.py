"""Asks the Python SDK what a test wants to know of it."""
import json
import logging
import sys
import time

from UnleashClient import UnleashClient
from UnleashClient.cache import FileCache


def say(line):
    print(json.dumps(line), flush=True)


logging.disable(logging.CRITICAL)
asked = json.load(sys.stdin)
sdk = UnleashClient(
    url=asked["url"] + "/api",
    app_name=asked["appName"],
    refresh_interval=1,
    metrics_interval=1,
    custom_headers={"Authorization": asked["token"]},
    cache=FileCache(asked["appName"]),
    experimental_mode={"type": "streaming"} if asked.get("streams") else None,
)
sdk.initialize_client()


def answer(flag, user):
    enabled = sdk.is_enabled(flag, user)
    return f"{str(enabled).lower()} {sdk.get_variant(flag, user)['name']}"


while not sdk.feature_definitions():
    time.sleep(0.02)
say({"answers": [[answer(flag, user) for user in asked["users"]] for flag in asked["flags"]]})
last = None
while True:
    now = str(sdk.is_enabled(asked["watched"], fallback_function=lambda *_: True)).lower()
    if now != last:
        say({"watched": now})
    last = now
    time.sleep(0.02)
