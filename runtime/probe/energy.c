#define _GNU_SOURCE
#include "energy.h"
#include "shard_folder.h"
#include "warning.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FOLDER "/sys/class/powercap"
#define PMU "/sys/bus/event_source/devices/power"
#define PACKAGES 64 /* maximum number of packages in a node, in powercap's numbering */
#define PARTS 8     /* maximum number of domains in a package */
#define COUNTERS 32 /* maximum number of counters, one per package and domain, which are added up */
#define PAUSE UINT64_C(1000000) /* nanoseconds between updates by the processor */
#define MICRO 1e6

/*
 * A counter: a powercap file, which is opened for each reading because the program may close descriptors that
 * it did not open; or, if the file's name is empty, a perf event.
 */
struct counter {
    enum aa_energy_domain domain;
    char file[160];
    int event;
    double unit;    /* microjoules per unit */
    uint64_t range; /* the counter starts again at 0 after this value; 0: never */
    uint64_t last;
};

static struct counter counters[COUNTERS];
static int count;
static const char *source = "powercap";
static uint64_t asked_at, used[AA_ENERGY_DOMAINS];
static char defect[320];

static bool read_text(const char *file, char *text, size_t room) {
    long opened = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0);
    if (opened < 0)
        return false;
    long length = syscall(SYS_read, opened, text, room - 1);
    int error = errno;
    syscall(SYS_close, opened);
    errno = error;
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool read_number(const char *file, uint64_t *number) {
    char text[64], *end;
    if (!read_text(file, text, sizeof text))
        return false;
    *number = strtoull(text, &end, 10);
    return end != text;
}

/* ---- powercap */

static const char *folder(void) {
    const char *named = getenv("AUTOANALYZER_POWERCAP");
    return named && *named ? named : FOLDER;
}

static bool is_of(enum aa_energy_domain domain, const char *name) {
    return domain == AA_DRAM ? strncmp(name, "dram", 4) == 0 : strncmp(name, "package", 7) == 0;
}

/* Adds a zone if it belongs to the domain and can be read; returns whether it exists. */
static bool add_zone(enum aa_energy_domain domain, const char *zone) {
    char file[160], name[32];
    struct counter found = {.domain = domain, .unit = 1};
    snprintf(file, sizeof file, "%s/%s/name", folder(), zone);
    if (!read_text(file, name, sizeof name))
        return false;
    if (!is_of(domain, name) || count == COUNTERS)
        return true;
    snprintf(file, sizeof file, "%s/%s/max_energy_range_uj", folder(), zone);
    read_number(file, &found.range);
    snprintf(found.file, sizeof found.file, "%s/%s/energy_uj", folder(), zone);
    if (read_number(found.file, &found.last))
        counters[count++] = found;
    else
        snprintf(defect, sizeof defect, "%s: %s", found.file, strerror(errno));
    return true;
}

static void open_powercap(enum aa_energy_domain domain) {
    char zone[48];
    for (int package = 0; package < PACKAGES; package++) {
        snprintf(zone, sizeof zone, "intel-rapl:%d", package);
        if (!add_zone(domain, zone))
            return;
        for (int part = 0; part < PARTS; part++) {
            snprintf(zone, sizeof zone, "intel-rapl:%d:%d", package, part);
            if (!add_zone(domain, zone))
                break;
        }
    }
}

/* ---- perf */

static bool read_event(const struct counter *counter, uint64_t *value) {
    return syscall(SYS_read, counter->event, value, sizeof *value) == sizeof *value;
}

/* Opens an event on one CPU, where it counts for the whole package. */
static void add_event(enum aa_energy_domain domain, uint32_t type, uint64_t config, double unit, int cpu) {
    struct perf_event_attr wanted = {.type = type, .size = sizeof wanted, .config = config};
    struct counter found = {.domain = domain, .unit = unit};
    found.event = (int)syscall(SYS_perf_event_open, &wanted, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (found.event < 0 || !read_event(&found, &found.last))
        snprintf(defect, sizeof defect, "%s: %s", PMU, strerror(errno));
    else if (count < COUNTERS)
        counters[count++] = found;
}

static bool open_events(enum aa_energy_domain domain, const char *event) {
    char file[160], config[64], unit[64], cpus[256];
    uint64_t type;
    snprintf(file, sizeof file, PMU "/events/%s", event);
    if (!read_text(file, config, sizeof config) || strncmp(config, "event=", 6) != 0)
        return false;
    snprintf(file, sizeof file, PMU "/events/%s.scale", event);
    if (!read_text(file, unit, sizeof unit) || !read_number(PMU "/type", &type) ||
        !read_text(PMU "/cpumask", cpus, sizeof cpus))
        return false;
    for (char *cpu = cpus; *cpu >= '0' && *cpu <= '9'; cpu += *cpu == ',') {
        int number = (int)strtol(cpu, &cpu, 10);
        add_event(domain, (uint32_t)type, strtoull(config + 6, NULL, 16), strtod(unit, NULL) * MICRO, number);
        if (*cpu == '-') { /* a range of CPUs, each in a different package */
            int last = (int)strtol(cpu + 1, &cpu, 10);
            while (++number <= last)
                add_event(domain, (uint32_t)type, strtoull(config + 6, NULL, 16), strtod(unit, NULL) * MICRO,
                          number);
        }
    }
    return true;
}

static void open_perf(enum aa_energy_domain domain) {
    if (domain == AA_DRAM)
        open_events(domain, "energy-ram");
    else if (!open_events(domain, "energy-pkg"))
        /* the energy of the whole platform, if nothing else is available */
        open_events(domain, "energy-psys");
}

/* ---- both */

static bool has(enum aa_energy_domain domain) {
    for (int i = 0; i < count; i++) {
        if (counters[i].domain == domain)
            return true;
    }
    return false;
}

const char *aa_energy_open(enum aa_energy_domain domain) {
    bool other = count > 0; /* whether the other domain is counted; both must use the same method */
    snprintf(defect, sizeof defect, "found no energy counter in %s, and none in " PMU, folder());
    if (!other || strcmp(source, "powercap") == 0)
        open_powercap(domain);
    if (!has(domain) && (!other || strcmp(source, "perf") == 0)) {
        open_perf(domain);
        source = has(domain) ? "perf" : source;
    }
    return has(domain) ? NULL : defect;
}

const char *aa_energy_source(void) {
    return source;
}

bool aa_energy_is_counted_here(void) {
    int local = aa_launched_local_rank();
    return local >= 0 ? local == 0 : aa_launched_rank() <= 0;
}

bool aa_energy_claim(void) {
    char host[256] = "";
    pid_t claimant;
    gethostname(host, sizeof host - 1);
    if (aa_shard_folder_mark("energy", host, &claimant) || claimant == getpid())
        return true;
    int error = errno;
    bool runs = kill(claimant, 0) == 0 || errno != ESRCH;
    errno = error;
    if (runs)
        return false;
    aa_shard_folder_unmark("energy", host);
    return aa_shard_folder_mark("energy", host, &claimant);
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void ask_counter(struct counter *counter) {
    uint64_t now;
    if (!(*counter->file ? read_number(counter->file, &now) : read_event(counter, &now)))
        return;
    uint64_t passed = now - counter->last;
    if (now < counter->last)
        passed = counter->range > counter->last ? now + counter->range - counter->last : 0;
    used[counter->domain] += (uint64_t)((double)passed * counter->unit);
    counter->last = now;
}

void aa_energy_ask(void) {
    uint64_t now = nanoseconds();
    if (now - asked_at < PAUSE)
        return;
    asked_at = now;
    for (int i = 0; i < count; i++)
        ask_counter(&counters[i]);
}

uint64_t aa_energy_of(enum aa_energy_domain domain) {
    return used[domain];
}
