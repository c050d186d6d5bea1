/* The time of day as somebody has set it: the system's, and as many seconds more as a file says. Preloaded into a process
   and its children. Clocks that only go forward stay as they are, as do waits until a time of day. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shift;

__attribute__((constructor)) static void map_file(void) {
    const char *name = getenv("DATASTREAM_TEST_CLOCK");
    int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) shift = found;
    close(file);
}

static int64_t seconds(void) { return shift == NULL ? 0 : *shift; }

#define REAL(name) ((__typeof__(&name))real(&known_##name, #name))
static void *real(void **known, const char *name) {
    if (*known == NULL) *known = dlsym(RTLD_NEXT, name);
    return *known;
}
static void *known_clock_gettime, *known_gettimeofday, *known_pthread_cond_timedwait, *known_sem_timedwait;

int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = REAL(clock_gettime)(clock, at);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += seconds();
    return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    int failed = REAL(gettimeofday)(at, zone);
    if (!failed) at->tv_sec += seconds();
    return failed;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL) *at = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *at, int base) {
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, at) ? base : 0;
}

/* Deadlines that were reckoned by the clock as it is set. One of a clock that only goes forward is small. */
static struct timespec unset(const struct timespec *deadline) {
    struct timespec found = *deadline;
    if (found.tv_sec > 1000000000) found.tv_sec -= seconds();
    return found;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
    struct timespec at = unset(deadline);
    return REAL(pthread_cond_timedwait)(condition, mutex, &at);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    struct timespec at = unset(deadline);
    return REAL(sem_timedwait)(semaphore, &at);
}
