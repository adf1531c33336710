# The microbenchmarks alone: $OUT/micro.jsonl.
cd "$(dirname "$0")"
nvcc -O3 -std=c++17 -arch=sm_90 micro.cu -o /tmp/micro 2>&1 | grep -i error
timeout 120 /tmp/micro > $OUT/micro.jsonl || echo micro failed
nvidia-smi --query-gpu=name,clocks.sm,clocks.mem,driver_version,temperature.gpu --format=csv
wc -l $OUT/micro.jsonl
