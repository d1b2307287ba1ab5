/*
 * Makes a server's calls to its disk fail, by LD_PRELOAD: those on files whose path begins with FAILING_DISK_FILES.
 * The files in the directory FAILING_DISK_SWITCHES choose the failure, as long as they are there:
 *
 *   fail-sync    every fsync and fdatasync fails with EIO
 *   fail-sync-1  the next sync fails, and removes this file
 *   fail-write   every pwrite fails with EIO
 *   slow-sync    every sync takes 10 ms longer
 *
 * The file "syncs" there grows by one byte with every sync of the write-ahead log.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *files = getenv("FAILING_DISK_FILES");
  return files != NULL && strncmp(path, files, strlen(files)) == 0;
}

static const char *switch_path(const char *name, char *path, size_t size) {
  snprintf(path, size, "%s/%s", getenv("FAILING_DISK_SWITCHES"), name);
  return path;
}

static int is_on(const char *name) {
  char path[4096];
  return access(switch_path(name, path, sizeof path), F_OK) == 0;
}

static int before_sync(int fd) {
  char path[4096], other[4096];
  if (!path_of(fd, path, sizeof path)) return 0;
  if (is_on("slow-sync")) usleep(10000);
  if (is_on("fail-sync") || unlink(switch_path("fail-sync-1", other, sizeof other)) == 0) return -1;
  if (strlen(path) > 4 && strcmp(path + strlen(path) - 4, "-wal") == 0) {
    int counter = open(switch_path("syncs", other, sizeof other), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (counter >= 0) {
      if (write(counter, ".", 1) < 0) abort();
      close(counter);
    }
  }
  return 0;
}

static int failing(void) {
  errno = EIO;
  return -1;
}

#define NEXT(name, type) static type next; if (next == NULL) next = (type)dlsym(RTLD_NEXT, name)

typedef int (*sync_call)(int);
typedef ssize_t (*write_call)(int, const void *, size_t, off64_t);

int fsync(int fd) {
  NEXT("fsync", sync_call);
  return before_sync(fd) < 0 ? failing() : next(fd);
}

int fdatasync(int fd) {
  NEXT("fdatasync", sync_call);
  return before_sync(fd) < 0 ? failing() : next(fd);
}

static int write_fails(int fd) {
  char path[4096];
  return path_of(fd, path, sizeof path) && is_on("fail-write");
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  NEXT("pwrite", write_call);
  return write_fails(fd) ? failing() : next(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  NEXT("pwrite64", write_call);
  return write_fails(fd) ? failing() : next(fd, data, size, at);
}
