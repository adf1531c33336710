# What only a GPU can say of --measure: bash benchmarks/device/session2_measure.sh [FOLDER_OF_WHEELS], at most 4 minutes.
# Run in a checkout's root; wheels of what is missing in $1. Each part says what to look for; $OUT gets the JSON.
test -n "$1" && python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target /tmp/site $1/*.whl
mkdir -p /tmp/site/gluon_inspect-0.1.0.dist-info
printf 'Metadata-Version: 2.1\nName: gluon-inspect\nVersion: 0.1.0\n' > /tmp/site/gluon_inspect-0.1.0.dist-info/METADATA
export PYTHONPATH=$PWD:/tmp/site PYTHONUNBUFFERED=1
inspect="timeout 60 python3 -m gluon_inspect"
OUT=${OUT:-/tmp}

echo "== 1. script and capture: the same launches, times at most 5 % apart, no 'not measured'"
timeout 100 python3 benchmarks/device/replay_check.py; echo "exit $?"; date +%T

echo "== 2. counters of a capture's launches: verdicts 'equal', clocks known"
$inspect capture examples/opposite_layouts.py -o /tmp/run.gi > /dev/null 2>&1
$inspect report /tmp/run.gi --measure --fail-on never --format json=$OUT/capture.json --brief 2>&1 | grep -E "measured on|GB/s|clock|equal|note" | head -20
date +%T

echo "== 3. explain: two 'easured' lines a kernel, the proposal's with how many times as fast"
$inspect explain examples/opposite_layouts.py --measure --format markdown 2>&1 | grep -E "^# |easured|not measured" | head; date +%T

echo "== 4. too little memory: 'scaled down 2 times' or more, and a rate like that of the whole (about 4 TB/s)"
$inspect capture benchmarks/half_millisecond.py -o /tmp/half.gi > /dev/null 2>&1
cat > /tmp/hold.py <<'P'
import sys, time, torch
free = torch.cuda.mem_get_info()[0]
held = torch.empty(free - (3 << 30), dtype=torch.uint8, device="cuda")
print("held", flush=True)
time.sleep(float(sys.argv[1]))
P
python3 /tmp/hold.py 45 > /tmp/held & sleep 12; cat /tmp/held
timeout 40 python3 -m gluon_inspect report /tmp/half.gi --measure --fail-on never --brief 2>&1 | grep -E "measured on|GB/s|scaled|not measured|note|peak"
wait; date +%T

echo "== 5. a kernel that faults: exactly one line, 'measuring ended early while fault ran: …', by script and by capture"
cat > /tmp/fault.py <<'P'
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def fault(dst, far, layout: gl.constexpr):
    at = gl.program_id(0).to(gl.int64) * far + gl.arange(0, 128, layout=layout)
    gl.store(dst + at, 1.0)

fault[(1 << 12,)](torch.empty(128, device="cuda"), 1 << 28, gl.BlockedLayout([1], [32], [4], [0]), num_warps=4)
P
$inspect capture /tmp/fault.py -o /tmp/fault.gi > /dev/null 2>&1
for f in /tmp/fault.py /tmp/fault.gi; do
  echo "-- $f"; $inspect report $f --measure --fail-on never --brief 2>&1 | grep -E "measur"
done
date +%T
