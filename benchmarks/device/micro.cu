// Microbenchmarks behind the constants of the cost model: one JSON object a line on stdout.
// nvcc -O3 -arch=sm_90 micro.cu -o micro && ./micro > micro.jsonl
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                             \
  do {                                                                                       \
    cudaError_t e = (x);                                                                     \
    if (e != cudaSuccess) {                                                                  \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e));              \
      exit(1);                                                                               \
    }                                                                                        \
  } while (0)

enum Op { LD_CA, LD_CG, ST };

template <int W> struct Vec;
template <> struct Vec<4> { unsigned x; };
template <> struct Vec<8> { uint2 x; };
template <> struct Vec<16> { uint4 x; };

template <int W, int OP> __device__ __forceinline__ unsigned access(char *p, unsigned seed) {
  unsigned a = seed, b = seed, c = seed, d = seed;
  if constexpr (OP == ST) {
    if constexpr (W == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(a) : "memory");
    if constexpr (W == 8) asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(p), "r"(a), "r"(b) : "memory");
    if constexpr (W == 16)
      asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(p), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
    return 0;
  }
  if constexpr (OP == LD_CA) {
    if constexpr (W == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p));
    if constexpr (W == 8) asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
    if constexpr (W == 16)
      asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
  }
  if constexpr (OP == LD_CG) {
    if constexpr (W == 4) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(p));
    if constexpr (W == 8) asm volatile("ld.global.cg.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
    if constexpr (W == 16)
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
  }
  return a ^ b ^ c ^ d;
}

// One CTA an SM; each warp walks U addresses again and again. Cycles of the slowest warp of each CTA.
template <int W, int OP, int U>
__global__ void cached(char *base, long region_stride, int regions, long warp_stride, long it_stride, long lane_stride,
                       int iters, unsigned *sink, long long *cycles) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char *p = base + (blockIdx.x % regions) * region_stride + warp * warp_stride + lane * lane_stride;
  unsigned acc = 0;
  for (int u = 0; u < U; ++u) acc ^= access<W, OP>(p + u * it_stride, lane);
  __syncthreads();
  long long start = clock64();
  for (int i = 0; i < iters; ++i) {
    unsigned r[U];
#pragma unroll
    for (int u = 0; u < U; ++u) r[u] = access<W, OP>(p + u * it_stride, lane + i);
#pragma unroll
    for (int u = 0; u < U; ++u) acc ^= r[u];
    // Opaque to the compiler: without it the loads are hoisted out of the loop.
    asm volatile("add.u64 %0, %0, 0;" : "+l"(p)::"memory");
  }
  __syncthreads();
  long long stop = clock64();
  if (acc == 0x12345u) *sink = acc;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

template <int W, int OP>
void run_cached(const char *what, char *buf, int warps, long region, int regions, long warp_stride, long it_stride,
                long lane_stride, unsigned *sink, long long *cycles) {
  constexpr int U = 4;
  int iters = 512;
  float ms;
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  for (int rep = 0; rep < 2; ++rep) {
    cudaEventRecord(a);
    cached<W, OP, U><<<132, warps * 32>>>(buf, region, regions, warp_stride, it_stride, lane_stride, iters, sink, cycles);
    cudaEventRecord(b);
    CHECK(cudaDeviceSynchronize());
  }
  cudaEventElapsedTime(&ms, a, b);
  std::vector<long long> host(132);
  CHECK(cudaMemcpy(host.data(), cycles, 132 * 8, cudaMemcpyDeviceToHost));
  std::sort(host.begin(), host.end());
  printf("{\"test\":\"%s\",\"op\":%d,\"bytes\":%d,\"warps\":%d,\"lane_stride\":%ld,\"it_stride\":%ld,\"warp_stride\":%ld,"
         "\"regions\":%d,\"cycles_per_request\":%.4f,\"ms\":%.4f,\"requests\":%ld}\n",
         what, OP, W, warps, lane_stride, it_stride, warp_stride, regions, (double)host[66] / iters / warps / U, ms,
         132L * iters * warps * U);
}

// Each warp moves `per_warp` requests; chunk bytes contiguous a row, rows `pitch` apart, rows fastest.
template <int W, int MODE>  // MODE 0 read, 1 write, 2 copy
__global__ void chunks(char *src, char *dst, long pitch, long rows, int chunk, int cta_rows, unsigned *sink) {
  // A CTA (256 threads) covers cta_rows x chunk bytes; chunk / W lanes a row.
  int lanes = chunk / W, step = 256 / lanes;
  long row0 = (long)blockIdx.x * cta_rows + threadIdx.x / lanes;
  long off = (long)blockIdx.y * chunk + (threadIdx.x % lanes) * W;
  unsigned acc = 0;
  if constexpr (MODE == 2) {
#pragma unroll 4
    for (int r = 0; r < cta_rows; r += step) {
      uint4 v = *(uint4 *)(src + (row0 + r) * pitch + off);
      *(uint4 *)(dst + (row0 + r) * pitch + off) = v;
    }
  } else {
#pragma unroll 4
    for (int r = 0; r < cta_rows; r += step)
      acc ^= access<W, MODE == 1 ? ST : LD_CA>((MODE == 1 ? dst : src) + (row0 + r) * pitch + off, r);
  }
  if (acc == 0x12345u) *sink = acc;
}

// Linear walk: request i of warp w at (w * U + i) * it_stride, lanes lane_stride apart.
template <int W, int OP, int U>
__global__ void stream(char *base, long warp_stride, long it_stride, long lane_stride, unsigned *sink) {
  long warp = ((long)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  char *p = base + warp * warp_stride + (threadIdx.x % 32) * lane_stride;
  unsigned r[U], acc = 0;
#pragma unroll
  for (int u = 0; u < U; ++u) r[u] = access<W, OP>(p + u * it_stride, u);
#pragma unroll
  for (int u = 0; u < U; ++u) acc ^= r[u];
  if (acc == 0x12345u) *sink = acc;
}

// Rows of `row` bytes a pitch apart, written and read in pieces: a request covers 512 / piece rows, the next
// requests of the same warp fill the rows up. Warps take `512 / piece` rows each.
__global__ void pieces(char *src, char *dst, long pitch, int row, int piece) {
  int lanes = piece / 16, rows = 32 / lanes, lane = threadIdx.x % 32;
  long warp = (long)blockIdx.x * 8 + threadIdx.x / 32;
  char *a = src + (warp * rows + lane / lanes) * pitch + (long)blockIdx.y * row + (lane % lanes) * 16;
  char *b = a - src + dst;
  uint4 v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (i * piece < row) v[i] = *(uint4 *)(a + i * piece);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (i * piece < row) *(uint4 *)(b + i * piece) = v[i];
}

__device__ __forceinline__ unsigned long mix(unsigned long x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdUL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53UL; x ^= x >> 33;
  return x;
}

// Chunks at hashed places of the buffer; 16 bytes a lane (`bytes` of them used by partial stores).
template <int W, int OP> __global__ void scattered(char *base, long chunks, int chunk, unsigned *sink) {
  int lanes = max(1, chunk / 16);
  long id = ((long)blockIdx.x * blockDim.x + threadIdx.x) / lanes;
  unsigned acc = 0;
  unsigned r[4];
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    long c = mix(id * 4 + u) % chunks;
    r[u] = access<W, OP>(base + c * max(chunk, 32) + (threadIdx.x % lanes) * 16, u);
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) acc ^= r[u];
  if (acc == 0x12345u) *sink = acc;
}

template <typename F> double median_ms(F launch) {
  std::vector<float> t;
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  for (int i = 0; i < 7; ++i) {
    cudaEventRecord(a);
    launch();
    cudaEventRecord(b);
    CHECK(cudaDeviceSynchronize());
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (i >= 2) t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

template <int W, int OP, int U>
void run_stream(const char *what, char *buf, long bytes, long warp_stride, long it_stride, long lane_stride,
                unsigned *sink, int shared = 0, int threads = 256) {
  long warps = bytes / warp_stride;
  auto k = stream<W, OP, U>;
  CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  double ms = median_ms([&] { k<<<warps * 32 / threads, threads, shared>>>(buf, warp_stride, it_stride, lane_stride, sink); });
  int ctas = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, k, threads, shared);
  printf("{\"test\":\"%s\",\"op\":%d,\"bytes\":%d,\"lane_stride\":%ld,\"it_stride\":%ld,\"warp_stride\":%ld,\"unroll\":%d,"
         "\"warps_per_sm\":%d,\"ms\":%.5f,\"footprint\":%ld,\"requests\":%ld}\n",
         what, OP, W, lane_stride, it_stride, warp_stride, U, ctas * threads / 32, ms, bytes, warps * U);
}

__global__ void chase(long *p, int n, long *out, long long *cycles) {
  long i = 0;
  for (int k = 0; k < 64; ++k) i = p[i];
  long long s = clock64();
  for (int k = 0; k < n; ++k) i = p[i];
  cycles[0] = clock64() - s;
  *out = i;
}

void run_chase(long footprint, long stride, char *buf, long *out, long long *cycles) {
  long n = footprint / stride, step = stride / 8;
  std::vector<long> perm(n), h(footprint / 8);
  for (long i = 0; i < n; ++i) perm[i] = i;
  srand(1);
  for (long i = n - 1; i > 0; --i) std::swap(perm[i], perm[rand() % i]);
  for (long i = 0; i < n; ++i) h[perm[i] * step] = perm[(i + 1) % n] * step;
  CHECK(cudaMemcpy(buf, h.data(), footprint, cudaMemcpyHostToDevice));
  int steps = 2048;
  for (int r = 0; r < 2; ++r) chase<<<1, 1>>>((long *)buf, steps, out, cycles);
  CHECK(cudaDeviceSynchronize());
  long long c;
  CHECK(cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost));
  printf("{\"test\":\"chase\",\"footprint\":%ld,\"stride\":%ld,\"cycles\":%.2f}\n", footprint, stride, (double)c / steps);
}

int main(int argc, char **argv) {
  long gib = 1L << 30;
  char *buf, *dst;
  unsigned *sink;
  long long *cycles;
  CHECK(cudaMalloc(&buf, 9 * gib));
  CHECK(cudaMalloc(&dst, 9 * gib));
  CHECK(cudaMalloc(&sink, 64));
  CHECK(cudaMalloc(&cycles, 132 * 8));
  CHECK(cudaMemset(buf, 1, 9 * gib));
  CHECK(cudaMemset(dst, 1, 9 * gib));
  int clock_khz, l2;
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
  printf("{\"test\":\"device\",\"clock_khz\":%d,\"l2\":%d}\n", clock_khz, l2);

  // Stores into the L2: few bytes an SM, written again and again.
  for (int warps : {8, 16})
    for (long s : {4L, 8L, 16L, 32L, 64L, 128L, 256L, 16384L, 65536L}) {
      long span = std::max(32 * s, 128L);
      long it = s >= 1024 ? 128 : span, region = s >= 1024 ? 32 * s : warps * 4 * span;
      run_cached<4, ST>("st", buf, warps, region, 132, 4 * it, it, s, sink, cycles);
      if (s >= 8) run_cached<8, ST>("st", buf, warps, region, 132, 4 * it, it, s, sink, cycles);
      if (s >= 16) run_cached<16, ST>("st", buf, warps, region, 132, 4 * it, it, s, sink, cycles);
    }
  // DRAM: full streams, one sector of 2 or 4, partial sectors, sectors completed later.
  long big = 8 * gib;
  run_stream<16, LD_CA, 4>("dram_read", buf, big, 2048, 512, 16, sink);
  run_stream<16, LD_CG, 4>("dram_read", buf, big, 2048, 512, 16, sink);
  run_stream<4, LD_CA, 4>("dram_read", buf, big, 512, 128, 4, sink);
  run_stream<4, LD_CA, 16>("dram_read", buf, big, 2048, 128, 4, sink);
  run_stream<16, LD_CA, 4>("dram_read_half_line_apart", buf, big, 4096, 16, 128, sink);
  run_stream<4, LD_CA, 4>("dram_read_sector_of_64", buf, big, 8192, 2048, 64, sink);
  run_stream<4, LD_CA, 4>("dram_read_sector_of_128", buf, big, 16384, 4096, 128, sink);
  run_stream<4, LD_CA, 4>("dram_read_sector_of_256", buf, big, 32768, 8192, 256, sink);
  run_stream<16, ST, 4>("dram_write", buf, big, 2048, 512, 16, sink);
  run_stream<4, ST, 4>("dram_write", buf, big, 512, 128, 4, sink);
  run_stream<4, ST, 16>("dram_write", buf, big, 2048, 128, 4, sink);
  run_stream<16, ST, 4>("dram_write_half_sectors", buf, big, 4096, 1024, 32, sink);
  run_stream<4, ST, 4>("dram_write_quarter_sectors", buf, big, 4096, 1024, 32, sink);
  run_stream<16, ST, 2>("dram_write_halves_completed", buf, big, 1024, 16, 32, sink);
  run_stream<4, ST, 8>("dram_write_words_completed", buf, big, 1024, 4, 32, sink);
  run_stream<4, ST, 32>("dram_write_line_words_completed", buf, big, 4096, 4, 128, sink);
  run_stream<16, ST, 8>("dram_write_line_vec_completed", buf, big, 4096, 16, 128, sink);
  // Bytes in flight: 16 B x unroll x lanes x warps.
  for (int shared : {0, 24 * 1024, 48 * 1024, 100 * 1024, 200 * 1024}) {
    run_stream<16, LD_CA, 1>("inflight_read", buf, big, 512, 512, 16, sink, shared, 128);
    run_stream<16, LD_CA, 4>("inflight_read", buf, big, 2048, 512, 16, sink, shared, 128);
    run_stream<16, LD_CA, 16>("inflight_read", buf, big, 8192, 512, 16, sink, shared, 128);
    run_stream<4, LD_CA, 4>("inflight_read", buf, big, 512, 128, 4, sink, shared, 128);
  }
  // Chunks of a row: reads, writes and copies of tiles with a 64 KiB pitch.
  for (int chunk : {32, 64, 128, 256, 512, 1024})
    for (int cta_rows : {64, 256})
      for (long pitch : {65536L, 65536L + 512}) {
        long rows = 65536;
        if (256 / (chunk / 16) > cta_rows) continue;
        dim3 grid(rows / cta_rows, 65536 / chunk);
        double r = median_ms([&] { chunks<16, 0><<<grid, 256>>>(buf, dst, pitch, rows, chunk, cta_rows, sink); });
        double w = median_ms([&] { chunks<16, 1><<<grid, 256>>>(buf, dst, pitch, rows, chunk, cta_rows, sink); });
        double c = median_ms([&] { chunks<16, 2><<<grid, 256>>>(buf, dst, pitch, rows, chunk, cta_rows, sink); });
        printf("{\"test\":\"chunks\",\"chunk\":%d,\"cta_rows\":%d,\"pitch\":%ld,\"footprint\":%ld,\"read_ms\":%.4f,"
               "\"write_ms\":%.4f,\"copy_ms\":%.4f}\n",
               chunk, cta_rows, pitch, rows * 65536, r, w, c);
      }
  // The same tiles with fewer CTAs an SM (dynamic shared memory holds the others off).
  for (int chunk : {64, 128, 256})
    for (int shared : {0, 36 * 1024, 54 * 1024, 72 * 1024, 110 * 1024}) {
      auto k = chunks<16, 2>;
      CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
      dim3 grid(65536 / 256, 65536 / chunk);
      double c = median_ms([&] { k<<<grid, 256, shared>>>(buf, dst, 65536, 65536, chunk, 256, sink); });
      int ctas = 0;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, k, 256, shared);
      printf("{\"test\":\"chunks_occupancy\",\"chunk\":%d,\"ctas_per_sm\":%d,\"copy_ms\":%.4f}\n", chunk, ctas, c);
    }
  for (int row : {64, 128, 256, 512})
    for (int piece : {32, 64, 128, 256, 512})
      if (piece <= row && row <= 8 * piece) {
        dim3 grid(65536 / (512 / piece) / 8, 65536 / row);
        double c = median_ms([&] { pieces<<<grid, 256>>>(buf, dst, 65536, row, piece); });
        printf("{\"test\":\"pieces\",\"row\":%d,\"piece\":%d,\"copy_ms\":%.4f}\n", row, piece, c);
      }
  for (int chunk : {32, 64, 128, 256, 512, 1024}) {
    long chunks = 8 * gib / chunk, threads = chunks / 8 * (chunk / 16) / 4;
    double r = median_ms([&] { scattered<16, LD_CA><<<threads / 256, 256>>>(buf, chunks, chunk, sink); });
    double w = median_ms([&] { scattered<16, ST><<<threads / 256, 256>>>(buf, chunks, chunk, sink); });
    printf("{\"test\":\"scattered\",\"chunk\":%d,\"accessed\":%ld,\"read_ms\":%.4f,\"write_ms\":%.4f}\n", chunk,
           chunks / 8, r, w);
  }
  {
    long chunks = 8 * gib / 32, n = chunks / 8;
    double w = median_ms([&] { scattered<16, ST><<<n / 4 / 256, 256>>>(buf, chunks, 16, sink); });
    double q = median_ms([&] { scattered<4, ST><<<n / 4 / 256, 256>>>(buf, chunks, 16, sink); });
    printf("{\"test\":\"scattered_partial\",\"accessed\":%ld,\"half_ms\":%.4f,\"word_ms\":%.4f}\n", n, w, q);
  }
  for (long f : {16L << 10, 128L << 10, 192L << 10, 1L << 20, 16L << 20, 256L << 20, 1L << 30}) run_chase(f, 128, buf, (long *)sink, cycles);
  return 0;
}
