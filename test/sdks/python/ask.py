"""Evaluates flags with the Python SDK, as a test requests."""
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


last = {}


def report(member):
    """Reports the answer of the SDK about the flag after each change. Before the SDK is ready, the fallback is off."""
    enabled = sdk.is_enabled(asked["watched"], fallback_function=lambda *_: member == "watched")
    payload = sdk.get_variant(asked["watched"]).get("payload") or {"value": ""}
    for key, value in {member: str(enabled).lower(), "payload": payload["value"]}.items():
        if last.get(key, "") != value:
            say({key: value})
        last[key] = value


while not sdk.feature_definitions():
    report("early")
    time.sleep(0.02)
say({"answers": [[answer(flag, user) for user in asked["users"]] for flag in asked["flags"]]})
while True:
    report("watched")
    time.sleep(0.02)
