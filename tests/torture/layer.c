/* Every file operation below one folder, as the C library is asked for it: recorded, failed or died at.

   Preloaded (LD_PRELOAD), and idle until `torture_begin`. Files are told by what /proc says of a descriptor, so that
   copies of descriptors need no care. What a shared mapping has written is recorded as its file is synced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { RECORD = 0, KILL = 1, TORN_KILL = 2, FAIL_ONCE = 3, FAIL_FROM = 4 };

static char root[PATH_MAX];
static size_t root_length;
static int record_fd = -1, mode, failure;
static long at, count;
static pid_t owner;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* From now on: operations below `folder` are counted; the record goes to a file, where one is named. */
void torture_begin(const char *folder, const char *record, int how, long nth, int error) {
    record_fd = record && *record ? (int)syscall(SYS_openat, AT_FDCWD, record, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    mode = how, at = nth, failure = error, count = 0, owner = getpid();
    if (realpath(folder, root)) root_length = strlen(root);
}

long torture_count(void) { return count; }

static int below(const char *path) {
    return root_length && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static int path_of(int fd, char *path) { /* of a file or folder of ours */
    char name[64];
    if (!root_length || getpid() != owner) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return below(path);
}

static int resolved(int folder, const char *name, char *path) { /* its folder without links, its own name as it is */
    char whole[PATH_MAX * 2], parent[PATH_MAX];
    if (!root_length || getpid() != owner) return 0;
    if (name[0] == '/') snprintf(whole, sizeof whole, "%s", name);
    else if (folder == AT_FDCWD) {
        if (!getcwd(parent, sizeof parent)) return 0;
        snprintf(whole, sizeof whole, "%s/%s", parent, name);
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, parent, sizeof parent - 1);
        if (length <= 0) return 0;
        parent[length] = 0;
        snprintf(whole, sizeof whole, "%s/%s", parent, name);
    }
    char *slash = strrchr(whole, '/');
    while (slash > whole && !slash[1]) *slash = 0, slash = strrchr(whole, '/');
    *slash = 0;
    if (!realpath(*whole ? whole : "/", parent)) return 0;
    snprintf(path, PATH_MAX, "%.2000s/%.2000s", parent, slash + 1);
    return below(path);
}

static void put(const void *data, size_t size) {
    for (const char *next = data; size;) {
        ssize_t done = syscall(SYS_write, record_fd, next, size);
        if (done <= 0) _exit(99);
        next += done, size -= done;
    }
}

static void note(char kind, int64_t inode, int64_t offset, const char *path, const char *other, const void *data,
                 size_t size) {
    if (record_fd < 0) return;
    struct __attribute__((packed)) {
        char kind;
        int64_t inode, offset;
        uint32_t path, other, size;
    } head = {kind, inode, offset, (uint32_t)strlen(path), (uint32_t)strlen(other), (uint32_t)size};
    put(&head, sizeof head), put(path, head.path), put(other, head.other), put(data, size);
}

static int64_t inode_of(int fd) {
    struct stat about;
    return fstat(fd, &about) ? 0 : (int64_t)about.st_ino;
}

/* 1: this operation fails, with errno set. Dies here where it is to; `torn` says to do half of it first. */
static int stopped(int *torn) {
    count++;
    if (torn) *torn = 0;
    if (mode == KILL && count == at) kill(getpid(), SIGKILL), pause();
    if (mode == TORN_KILL && count == at) {
        if (torn) *torn = 1;
        else kill(getpid(), SIGKILL), pause();
    }
    if ((mode == FAIL_ONCE && count == at) || (mode == FAIL_FROM && count >= at)) {
        errno = failure;
        return 1;
    }
    return 0;
}

#define ENTER pthread_mutex_lock(&lock)
#define LEAVE(result) do { int kept = errno; pthread_mutex_unlock(&lock); errno = kept; return result; } while (0)

static ssize_t written(int fd, const void *data, size_t size, off_t offset, int placed,
                       ssize_t (*real)(int, const void *, size_t, off_t, int)) {
    char path[PATH_MAX];
    ENTER;
    if (fd == 1 && root_length && getpid() == owner) note('S', 0, 0, "", "", data, size);
    if (fd <= 2 || !path_of(fd, path)) LEAVE(real(fd, data, size, offset, placed));
    int torn;
    if (stopped(&torn)) LEAVE(-1);
    if (torn) {
        real(fd, data, size / 2, offset, placed);
        kill(getpid(), SIGKILL), pause();
    }
    struct stat about;
    off_t where = placed ? offset : lseek(fd, 0, SEEK_CUR);
    if (!placed && (fcntl(fd, F_GETFL) & O_APPEND) && !fstat(fd, &about)) where = about.st_size;
    ssize_t done = real(fd, data, size, offset, placed);
    if (done > 0) note('W', inode_of(fd), where, path, "", data, done);
    LEAVE(done);
}

static ssize_t do_write(int fd, const void *data, size_t size, off_t offset, int placed) {
    return placed ? syscall(SYS_pwrite64, fd, data, size, offset) : syscall(SYS_write, fd, data, size);
}

ssize_t write(int fd, const void *data, size_t size) { return written(fd, data, size, 0, 0, do_write); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return written(fd, data, size, offset, 1, do_write); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) { return written(fd, data, size, offset, 1, do_write); }

ssize_t writev(int fd, const struct iovec *parts, int number) {
    ssize_t total = 0;
    for (int part = 0; part < number; part++) {
        ssize_t done = write(fd, parts[part].iov_base, parts[part].iov_len);
        if (done < 0) return total ? total : done;
        total += done;
        if ((size_t)done < parts[part].iov_len) break;
    }
    return total;
}

size_t fwrite(const void *data, size_t size, size_t number, FILE *file) {
    REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *);
    char path[PATH_MAX];
    int fd = fileno(file);
    ENTER;
    if (fd <= 2 || !path_of(fd, path)) LEAVE(real(data, size, number, file));
    int torn;
    if (stopped(&torn)) LEAVE(0);
    if (torn) {
        real(data, size, number / 2, file), fflush(file);
        kill(getpid(), SIGKILL), pause();
    }
    off_t where = ftello(file);
    size_t done = real(data, size, number, file);
    fflush(file);
    if (done) note('W', inode_of(fd), where, path, "", data, done * size);
    LEAVE(done);
}

/* Copies within the kernel are refused, so that they are made by reading and writing. */
ssize_t sendfile(int to, int from, off_t *offset, size_t size) { errno = EINVAL; return -1; }
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) { errno = EINVAL; return -1; }
ssize_t copy_file_range(int from, off64_t *a, int to, off64_t *b, size_t size, unsigned flags) { errno = EXDEV; return -1; }

static int cut(int fd, off_t size) {
    char path[PATH_MAX];
    ENTER;
    int ours = path_of(fd, path);
    if (ours && stopped(NULL)) LEAVE(-1);
    int result = (int)syscall(SYS_ftruncate, fd, size);
    if (ours && !result) note('T', inode_of(fd), size, path, "", "", 0);
    LEAVE(result);
}
int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

enum { MAPPED = 1024 };
static int64_t mapped[MAPPED];
static int mappings;

void *mmap(void *address, size_t size, int access, int flags, int fd, off_t offset) {
    char path[PATH_MAX];
    if (fd >= 0 && access & PROT_WRITE && flags & MAP_SHARED && path_of(fd, path)) {
        pthread_mutex_lock(&lock);
        if (mappings == MAPPED) _exit(98);
        mapped[mappings++] = inode_of(fd);
        pthread_mutex_unlock(&lock);
    }
    return (void *)syscall(SYS_mmap, address, size, access, flags, fd, offset);
}
void *mmap64(void *address, size_t size, int access, int flags, int fd, off_t offset) {
    return mmap(address, size, access, flags, fd, offset);
}

static void note_mapped(int fd, const char *path) {
    int64_t inode = inode_of(fd), found = 0;
    for (int one = 0; one < mappings; one++) found |= mapped[one] == inode;
    struct stat about;
    if (!found || record_fd < 0 || fstat(fd, &about) || !about.st_size) return;
    int reading = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
    char *data = malloc(about.st_size);
    ssize_t size = data ? pread(reading, data, about.st_size, 0) : -1;
    if (size != about.st_size) _exit(97);
    note('W', inode, 0, path, "", data, size);
    free(data), close(reading);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    char path[PATH_MAX];
    ENTER;
    if (path_of(fd, path) && stopped(NULL)) LEAVE(failure);
    LEAVE(real(fd, offset, size));
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) { return posix_fallocate(fd, offset, size); }

static int synced(int fd, long number) {
    char path[PATH_MAX];
    ENTER;
    int ours = path_of(fd, path);
    if (ours && stopped(NULL)) LEAVE(-1);
    if (ours) note_mapped(fd, path);
    int result = (int)syscall(number, fd);
    if (ours && !result) note('F', inode_of(fd), 0, path, "", "", 0);
    LEAVE(result);
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int opened(int folder, const char *name, int flags, mode_t bits) {
    char path[PATH_MAX];
    struct stat about;
    if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE || !resolved(folder, name, path))
        return (int)syscall(SYS_openat, folder, name, flags, bits);
    ENTER;
    int there = !lstat(path, &about);
    int changes = !there || ((flags & O_TRUNC) && about.st_size);
    if (changes && !(there && (flags & O_EXCL)) && stopped(NULL)) LEAVE(-1);
    int fd = (int)syscall(SYS_openat, folder, name, flags, bits);
    if (fd >= 0 && !there) note('C', inode_of(fd), 0, path, "", "", 0);
    else if (fd >= 0 && (flags & O_TRUNC) && about.st_size) note('T', inode_of(fd), 0, path, "", "", 0);
    LEAVE(fd);
}
#define BITS \
    mode_t bits = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); bits = va_arg(rest, mode_t); va_end(rest); }
int open(const char *name, int flags, ...) { BITS return opened(AT_FDCWD, name, flags, bits); }
int open64(const char *name, int flags, ...) { BITS return opened(AT_FDCWD, name, flags, bits); }
int openat(int folder, const char *name, int flags, ...) { BITS return opened(folder, name, flags, bits); }
int openat64(int folder, const char *name, int flags, ...) { BITS return opened(folder, name, flags, bits); }
int creat(const char *name, mode_t bits) { return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, bits); }
int creat64(const char *name, mode_t bits) { return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, bits); }

static int moved(int folder, const char *name, int to, const char *new_name, unsigned flags) {
    char path[PATH_MAX], other[PATH_MAX];
    ENTER;
    int ours = resolved(folder, name, path) && resolved(to, new_name, other);
    if (ours && stopped(NULL)) LEAVE(-1);
    int result = (int)syscall(SYS_renameat2, folder, name, to, new_name, flags);
    if (ours && !result) note('R', 0, 0, path, other, "", 0);
    LEAVE(result);
}
int rename(const char *name, const char *other) { return moved(AT_FDCWD, name, AT_FDCWD, other, 0); }
int renameat(int from, const char *name, int to, const char *other) { return moved(from, name, to, other, 0); }
int renameat2(int from, const char *name, int to, const char *other, unsigned flags) { return moved(from, name, to, other, flags); }

static int removed(int folder, const char *name, int flags) { /* a full disk can still remove */
    char path[PATH_MAX];
    ENTER;
    int ours = resolved(folder, name, path) && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
    if (ours && (mode < FAIL_ONCE || failure == EIO) && stopped(NULL)) LEAVE(-1);
    int result = (int)syscall(SYS_unlinkat, folder, name, flags);
    if (ours && !result) note(flags & AT_REMOVEDIR ? 'D' : 'U', 0, 0, path, "", "", 0);
    LEAVE(result);
}
int unlink(const char *name) { return removed(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return removed(folder, name, flags); }
int rmdir(const char *name) { return removed(AT_FDCWD, name, AT_REMOVEDIR); }

static int made(int folder, const char *name, mode_t bits) {
    char path[PATH_MAX];
    struct stat about;
    ENTER;
    int ours = resolved(folder, name, path) && lstat(path, &about);
    if (ours && stopped(NULL)) LEAVE(-1);
    int result = (int)syscall(SYS_mkdirat, folder, name, bits);
    if (ours && !result) note('M', lstat(path, &about) ? 0 : (int64_t)about.st_ino, 0, path, "", "", 0);
    LEAVE(result);
}
int mkdir(const char *name, mode_t bits) { return made(AT_FDCWD, name, bits); }
int mkdirat(int folder, const char *name, mode_t bits) { return made(folder, name, bits); }
