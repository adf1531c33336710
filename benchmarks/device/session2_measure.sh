# What only a GPU can say of --measure: bash benchmarks/device/session2_measure.sh [FOLDER_OF_WHEELS], about 4 minutes.
# Run in a checkout's root; wheels of what is missing in $1. Each part says what to look for; $OUT gets the JSON.
test -n "$1" && python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target /tmp/site $1/*.whl
mkdir -p /tmp/site/gluon_inspect-0.1.0.dist-info
printf 'Metadata-Version: 2.1\nName: gluon-inspect\nVersion: 0.1.0\n' > /tmp/site/gluon_inspect-0.1.0.dist-info/METADATA
export PYTHONPATH=$PWD:/tmp/site PYTHONUNBUFFERED=1
inspect="timeout 90 python3 -m gluon_inspect"
OUT=${OUT:-/tmp}
date +%T

# what needs no quiet: recordings, and the kernel that faults
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
for name in examples/opposite_layouts benchmarks/half_millisecond /tmp/fault; do
  $inspect capture $name.py -o /tmp/$(basename $name).gi > /tmp/$(basename $name).log 2>&1 &
done
wait
(for f in py gi; do $inspect report /tmp/fault.$f --measure --fail-on never --brief > /tmp/fault.$f.txt 2>&1 & done; wait)
date +%T

echo "== 1. script and capture: the same launches, times at most 5 % apart (exit 0), no 'not measured', clocks known"
cd examples; timeout 110 python3 ../benchmarks/device/replay_check.py copy_2d.py row_sum.py tma_copy.py wgmma_matmul.py
echo "exit $?"; cd ..; date +%T

echo "== 2. counters of a capture's launches: 'n of n equal' in every table, clocks known"
$inspect report /tmp/opposite_layouts.gi --measure --fail-on never --format json=$OUT/capture.json --format text \
  2>&1 | grep -E "measured on|GB/s|clock|of [0-9]+ equal|note:|no counters" | head -20
date +%T

echo "== 3. explain: 'Measured on …' for each kernel, 'measured …, n times as fast as before' for the proposal"
$inspect explain examples/opposite_layouts.py --measure --format markdown 2>&1 | grep -E "^# .copy|easured|not measured"
date +%T

echo "== 4. too little memory: 'scaled down 2 times' (or 4), and about the rate of the whole (3.9 to 4.1 TB/s)"
cat > /tmp/hold.py <<'P'
import sys, time, torch
held = torch.empty(torch.cuda.mem_get_info()[0] - (3 << 30), dtype=torch.uint8, device="cuda")
print("held", flush=True)
time.sleep(float(sys.argv[1]))
P
python3 /tmp/hold.py 40 > /tmp/held 2>&1 & holder=$!
until grep -q . /tmp/held 2> /dev/null || ! kill -0 $holder 2> /dev/null; do sleep 0.5; done; cat /tmp/held
timeout 38 python3 -m gluon_inspect report /tmp/half_millisecond.gi --measure --fail-on never --brief 2>&1 \
  | grep -E "measured on|GB/s|scaled|not measured|note:|peak"
kill $holder; wait; date +%T

echo "== 5. a kernel that faults: by script and by capture exactly one line, 'measuring ended early while fault ran: …'"
grep -HE "measur" /tmp/fault.py.txt /tmp/fault.gi.txt
