"""Answers of the Yggdrasil engine: reads a document and contexts as a JSON line, and writes a line with the answers."""
import json
import sys

from yggdrasil_engine.engine import UnleashEngine


def variant_of(found):
    answer = {"name": found.name, "enabled": found.enabled, "feature_enabled": found.feature_enabled}
    if found.payload is not None:
        answer["payload"] = found.payload if isinstance(found.payload, dict) else vars(found.payload)
    return answer


def answer(engine, flag, context):
    enabled = engine.check_enabled(flag, context).is_enabled
    return {"enabled": enabled, "variant": variant_of(engine.check_variant(flag, context).variant)}


for line in sys.stdin:
    asked = json.loads(line)
    engine = UnleashEngine()
    engine.take_state(json.dumps({"version": 2, **asked["document"]}))
    if not engine.list_known_toggles():
        sys.exit("the engine rejected the document")
    names = [feature["name"] for feature in asked["document"]["features"]]
    answers = [answer(engine, name, context) for name in names for context in asked["contexts"]]
    print(json.dumps(answers), flush=True)
