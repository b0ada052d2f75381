"""Calls a proxy with the real Python clients; prints one JSON line for each call."""

import json
import sys

import openai
import typesafe_sdk
from typesafe_sdk import TypeSafeClient


def openai_call(url, request):
    client = openai.OpenAI(api_key="any", base_url=f"{url}/v1")
    try:
        response = client.decisions.with_raw_response.create(**request)
        decision = response.parse()
        return {"ok": decision.model_dump(), "request_id": response.headers.get("x-request-id")}
    except openai.APIStatusError as error:
        return {
            "error": type(error).__name__,
            "status": error.status_code,
            "code": error.code,
            "type": error.type,
            "request_id": error.request_id,
        }


def typesafe_call(url, request):
    client = TypeSafeClient(api_key="any", base_url=url)
    try:
        result = client.system_one(**request)
        return {"ok": json.loads(result.model_dump_json())}
    except typesafe_sdk.TypeSafeAPIError as error:
        return {"error": type(error).__name__, "status": error.status, "request_id": error.request_id}


calls = {"openai": openai_call, "typesafe": typesafe_call}
for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps(calls[job["client"]](job["url"], job["request"])), flush=True)
