"""Verifies messages with the library of Standard Webhooks: JSON lines in, `valid` or the name of the error out."""
import json
import sys

from standardwebhooks.webhooks import Webhook

for line in sys.stdin:
    message = json.loads(line)
    try:
        Webhook(message["key"]).verify(message["body"], message["headers"])
        print("valid", flush=True)
    except Exception as error:
        print(type(error).__name__, flush=True)
