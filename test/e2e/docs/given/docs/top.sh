# The workers of the README, and a picker with its console.
pointsman sim-worker --port 8101 --kv-events-port 8111 --kv-replay-port 8121 --models qwen3 --model-dir .cache/models/qwen3 &
pointsman sim-worker --port 8102 --kv-events-port 8112 --kv-replay-port 8122 --models qwen3 --model-dir .cache/models/qwen3 &
pointsman serve --config picker.yaml --console &
