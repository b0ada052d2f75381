# The worker of the page's settings.
pointsman sim-worker --host 127.0.0.7 --port 30000 --models Qwen/Qwen3-0.6B --model-dir .cache/models/qwen3 &
