"""A worker that a Dynamo frontend can send requests to: it computes nothing and writes down what it was given.

usage: recording_worker.py RECORDS MODEL=FOLDER=CONFIG...

Serves every model named, from a folder with its tokenizer and config (no weights). CONFIG is a JSON object: members of
ModelRuntimeConfig, and `runtime_data`. Each request becomes one line of RECORDS, written
before the answer begins: {"model", "instance_id" (decimal text), "request_id", "token_ids"}. Ends on SIGTERM.
"""

import asyncio
import json
import re
import sys

import uvloop
from dynamo._core import WorkerType
from dynamo.llm import ModelInput, ModelRuntimeConfig, ModelType, register_model
from dynamo.runtime import DistributedRuntime, dynamo_worker

# Every request is answered with this one token; any will do that all vocabularies have.
ANSWER = {"token_ids": [100], "finish_reason": "stop"}
BLOCK_SIZE = 16


def runtime_config(members):
    config = ModelRuntimeConfig()
    for name, value in members.items():
        if name == "runtime_data":
            for key, data in value.items():
                config.set_engine_specific(key, json.dumps(data))
        else:
            setattr(config, name, value)
    return config


async def serve(runtime, records, model, folder, config):
    component = "recording" + re.sub("[^a-z0-9]", "", model.lower())
    endpoint = runtime.endpoint(f"{component}.backend.generate")

    async def generate(request, context):
        record = {
            "model": model,
            # A u64: as text, for readers whose numbers are doubles.
            "instance_id": str(endpoint.connection_id()),
            "request_id": context.id(),
            "token_ids": request["token_ids"],
        }
        records.write(json.dumps(record) + "\n")
        records.flush()
        yield ANSWER

    await register_model(
        ModelInput.Tokens,
        ModelType.Chat | ModelType.Completions,
        endpoint,
        folder,
        model,
        worker_type=WorkerType.Aggregated,
        kv_cache_block_size=BLOCK_SIZE,
        ignore_weights=True,
        runtime_config=runtime_config(json.loads(config)),
    )
    await endpoint.serve_endpoint(generate)


@dynamo_worker()
async def main(runtime: DistributedRuntime):
    path, *models = sys.argv[1:]
    with open(path, "a", encoding="utf-8") as records:
        await asyncio.gather(*(serve(runtime, records, *entry.split("=", 2)) for entry in models))


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(main())
