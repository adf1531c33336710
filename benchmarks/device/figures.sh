# The figures of benchmarks/results: $OUT/figures.tgz. Run in a checkout's root; wheels of what is missing in $1.
test -n "$1" && python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target /tmp/site $1/*.whl
mkdir -p /tmp/site/gluon_inspect-0.1.0.dist-info /tmp/figures
printf 'Metadata-Version: 2.1\nName: gluon-inspect\nVersion: 0.1.0\n' > /tmp/site/gluon_inspect-0.1.0.dist-info/METADATA
export PYTHONPATH=$PWD:/tmp/site PYTHONUNBUFFERED=1
inspect="python3 -m gluon_inspect report --measure --fail-on never --no-cache --brief"
date +%s
for f in examples/*.py; do
  n=$(basename $f .py)
  timeout 220 $inspect $f --format json=/tmp/figures/$n.json > /tmp/figures/$n.log 2>&1 &
done
wait
date +%s
for i in 1 2; do
  timeout 90 $inspect benchmarks/half_millisecond.py --format json=/tmp/figures/half$i.json > /tmp/figures/half$i.log 2>&1
done
date +%s; tar czf $OUT/figures.tgz -C /tmp figures
timeout ${2:-280} $inspect benchmarks/headline.py --format json=/tmp/figures/headline.json > /tmp/figures/headline.log 2>&1
date +%s
nvidia-smi --query-gpu=name,clocks.sm,clocks.mem,driver_version,temperature.gpu --format=csv > /tmp/figures/card.csv
python3 -c "import triton,torch,sys; print(triton.__version__, torch.__version__, sys.version)" > /tmp/figures/versions.txt
tar czf $OUT/figures.tgz -C /tmp figures
tail -n 2 /tmp/figures/*.log | cut -c1-300; ls -la /tmp/figures
