# Everything the cost model's constants and checks need, in one command on the card; results under $OUT.
cd "$(dirname "$0")"
export PYTHONUNBUFFERED=1
date +%s
(nvcc -O3 -std=c++17 -arch=sm_90 micro.cu -o /tmp/micro 2>&1 | grep -v warning; date +%s) &
python3 - <<'P'
import json
a = json.load(open("sweep_cases.json")) + json.load(open("validation_cases.json"))
json.dump(a, open("/tmp/all.json", "w"))
P
python3 copy_layouts.py compile /tmp/all.json 2>&1 | tail -5
wait
date +%s
nvidia-smi --query-gpu=name,clocks.sm,clocks.mem,driver_version --format=csv
timeout 120 /tmp/micro > $OUT/micro.jsonl || echo micro failed
date +%s
timeout 150 python3 copy_layouts.py time /tmp/all.json $OUT/times.json 2>&1 | tail -5
date +%s
timeout 200 ncu --clock-control none --cache-control all -k copy_2d --section MemoryWorkloadAnalysis_Tables --section SpeedOfLight \
  --section Occupancy --section LaunchStats --section WarpStateStats --csv --page raw \
  --log-file /tmp/ncu.csv python3 copy_layouts.py once sweep_cases.json 2>&1 | tail -5
gzip -c /tmp/ncu.csv > $OUT/ncu.csv.gz
date +%s
nvidia-smi --query-gpu=name,clocks.sm,clocks.mem,temperature.gpu --format=csv
ls -la $OUT; wc -l $OUT/micro.jsonl; tail -2 $OUT/micro.jsonl
