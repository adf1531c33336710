python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target /tmp/site .whl/*.whl && export PYTHONPATH=/tmp/site:$PWD || exit
export PYTHONUNBUFFERED=1
date +%s
python3 -c "import sys,triton,torch,numpy; print(sys.version, triton.__version__, torch.__version__, numpy.__version__)"
timeout 150 python3 -m gluon_inspect report examples/copy_2d.py examples/copy_1d.py examples/softmax.py examples/row_sum.py --measure --fail-on never --brief --format text=$OUT/text.txt --format json=$OUT/report.json; echo rc $?
date +%s
ncu --version | tail -2; find / -name "ncu_report*" -not -path "/proc/*" 2>/dev/null | head -5
timeout 100 python3 benchmarks/device/sample_counters.py examples/opposite_layouts.py $OUT 2>&1 | tail -8
date +%s
PYTHONPATH=$PYTHONPATH:$(dirname $(find / -name "ncu_report.py" -not -path "/proc/*" 2>/dev/null | head -1)) timeout 60 python3 - <<'P'
import os,glob
try:
    import ncu_report
    f=glob.glob(os.environ['OUT']+'/*.ncu-rep')[0]
    ctx=ncu_report.load_report(f); r=ctx.range_by_idx(0); print(r.num_actions())
    a=r.action_by_idx(0); print(a.name()); n=a.metric_names(); print(len(n))
    for k in ('memory_l2_theoretical_sectors_global','inst_executed','launch__grid_size','launch__grid_dim_x'):
        m=a.metric_by_name(k)
        if m is None: print(k,None); continue
        print(k,m.as_double(),m.num_instances(), m.has_correlation_ids())
        if m.has_correlation_ids(): c=m.correlation_ids(); print([(hex(c.as_uint64(i)),m.as_double(i)) for i in range(min(4,m.num_instances()))])
    print([d for d in dir(a) if d[0]!='_'])
    c=a.metric_by_name('inst_executed').correlation_ids(); pc=c.as_uint64(0); print(a.sass_by_pc(pc)); s=a.source_info(pc); print(s and (s.file_name(),s.line()))
except Exception as e: print('ncu_report', repr(e))
P
ls -la $OUT; tail -30 $OUT/text.txt
