/*
 * Makes the system lie to one process (LD_PRELOAD): a clock that was set, a disk that is full, a disk that fails. What it does stands in
 * the file that KEELSON_FAULTS names, which a test changes while the process runs; see fault-shim.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct faults {
  int64_t clock_seconds; /* added to the time of day */
  int32_t sync_fails;    /* fsync and fdatasync fail with EIO */
  int32_t disk_full;     /* writes to files fail with ENOSPC */
};

static const struct faults none;
static const volatile struct faults *faults = &none;

__attribute__((constructor)) static void attach(void) {
  const char *path = getenv("KEELSON_FAULTS");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(struct faults), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) faults = page;
}

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) real = dlsym(RTLD_NEXT, name)

int clock_gettime(clockid_t id, struct timespec *at) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  int result = real(id, at);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += faults->clock_seconds;
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  REAL(int, "gettimeofday", struct timeval *restrict, void *restrict);
  int result = real(at, zone);
  if (result == 0) at->tv_sec += faults->clock_seconds;
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

static int fails(int error) {
  errno = error;
  return -1;
}

int fsync(int file) {
  REAL(int, "fsync", int);
  return faults->sync_fails ? fails(EIO) : real(file);
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  return faults->sync_fails ? fails(EIO) : real(file);
}

/* Pipes and sockets have no disk below them. */
static int is_full(int file) {
  struct stat about;
  return faults->disk_full && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

ssize_t write(int file, const void *from, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return is_full(file) ? fails(ENOSPC) : real(file, from, count);
}

ssize_t pwrite(int file, const void *from, size_t count, off_t at) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  return is_full(file) ? fails(ENOSPC) : real(file, from, count, at);
}

ssize_t pwrite64(int file, const void *from, size_t count, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  return is_full(file) ? fails(ENOSPC) : real(file, from, count, at);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  return is_full(file) ? fails(ENOSPC) : real(file, parts, count);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
  return is_full(file) ? fails(ENOSPC) : real(file, parts, count, at);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off64_t);
  return is_full(file) ? fails(ENOSPC) : real(file, parts, count, at);
}
