"""Reads the values of flags through the OFREP provider for Python."""
import json
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

asked = json.load(sys.stdin)
headers = {"Authorization": f"Bearer {asked['token']}"}
api.set_provider(OFREPProvider(asked["url"], headers_factory=lambda: headers))
client = api.get_client()
context = EvaluationContext(targeting_key="ada")


def answer(flag, kind, default):
    details = getattr(client, f"get_{kind}_details")(flag, default, context)
    error = details.error_code and details.error_code.value
    return {"value": details.value, "error": error}


print(json.dumps([answer(*one) for one in asked["questions"]]))
