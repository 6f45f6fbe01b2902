#define _GNU_SOURCE
#include "papi.h"
#include "shard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { int major, minor; } versions[] = {{7, 2}, {7, 1}, {7, 0}, {6, 0}, {5, 7}, {5, 6}};

struct aa_papi aa_papi;
static void *library;
static uint32_t how; /* the result of aa_papi_how */

static void *load(const char *name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static void *find_in_system(void) {
    char name[32];
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        snprintf(name, sizeof name, "libpapi.so.%d.%d", versions[i].major, versions[i].minor);
        void *found = load(name);
        if (found)
            return found;
    }
    return load("libpapi.so");
}

/* Returns the library that the user names, otherwise the system's, otherwise the one in the Python
 * package. */
static void *find_library(void) {
    const char *chosen = getenv("AUTOANALYZER_PAPI"), *packaged = getenv("AUTOANALYZER_PACKAGED_PAPI");
    bool is_chosen = chosen && *chosen, is_package = is_chosen && strcmp(chosen, "python_papi") == 0;
    void *found = NULL;
    if (is_chosen && !is_package) {
        how = AA_COUNTS_BY_CHOSEN_PAPI;
        return load(chosen);
    }
    if (!is_package)
        found = find_in_system();
    if (!found && packaged && *packaged) {
        how = AA_COUNTS_BY_PACKAGED_PAPI;
        found = load(packaged);
    }
    return found;
}

struct function {
    const char *name;
    void *pointer;
};

static bool bind_all(const struct function *functions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return false;
        memcpy(functions[i].pointer, &function, sizeof function);
    }
    return true;
}

static bool bind(void) {
    static const struct function functions[] = {
        {"PAPI_library_init", &aa_papi.library_init},
        {"PAPI_thread_init", &aa_papi.thread_init},
        {"PAPI_register_thread", &aa_papi.register_thread},
        {"PAPI_unregister_thread", &aa_papi.unregister_thread},
        {"PAPI_create_eventset", &aa_papi.create_eventset},
        {"PAPI_add_named_event", &aa_papi.add_named_event},
        {"PAPI_cleanup_eventset", &aa_papi.cleanup_eventset},
        {"PAPI_destroy_eventset", &aa_papi.destroy_eventset},
        {"PAPI_start", &aa_papi.start},
        {"PAPI_stop", &aa_papi.stop},
        {"PAPI_read", &aa_papi.read},
    };
    return bind_all(functions, sizeof functions / sizeof *functions);
}

bool aa_papi_bind_multiplexing(void) {
    static const struct function functions[] = {
        {"PAPI_multiplex_init", &aa_papi.multiplex_init},
        {"PAPI_get_component_index", &aa_papi.get_component_index},
        {"PAPI_assign_eventset_component", &aa_papi.assign_eventset_component},
        {"PAPI_set_multiplex", &aa_papi.set_multiplex},
    };
    return bind_all(functions, sizeof functions / sizeof *functions);
}

static bool bind_components(void) {
    static const struct function functions[] = {
        {"PAPI_num_components", &aa_papi.num_components},
        {"PAPI_get_component_info", &aa_papi.get_component_info},
        {"PAPI_disable_component", &aa_papi.disable_component},
    };
    return bind_all(functions, sizeof functions / sizeof *functions);
}

/* Returns whether the user names an event of a component, as in component:::event. */
static bool is_named(const char *component) {
    static const char *const variables[] = {"AUTOANALYZER_COUNTERS", "AUTOANALYZER_EVENTS"};
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s:::", component);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *events = getenv(variables[i]);
        if (events && strstr(events, prefix))
            return true;
    }
    return false;
}

/*
 * Disables all components except the processor's, and those whose events the user names. Other components
 * search for devices, load vendors' libraries, and print messages about missing ones.
 */
static void disable_other_components(void) {
    if (!bind_components())
        return;
    for (int i = aa_papi.num_components() - 1; i >= 0; i--) {
        const char *component = aa_papi.get_component_info(i);
        if (component && strncmp(component, "perf_event", strlen("perf_event")) != 0 && !is_named(component))
            aa_papi.disable_component(i);
    }
}

/* Initialises the library, which accepts only its own version number. Returns false if this fails. */
static bool initialise(void) {
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        int version = versions[i].major << 24 | versions[i].minor << 16;
        if (aa_papi.library_init(version) != version)
            continue;
        if (how)
            how |= AA_PAPI_VERSION(versions[i].major, versions[i].minor);
        return aa_papi.thread_init((unsigned long (*)(void))pthread_self) == PAPI_OK;
    }
    return false;
}

const char *aa_papi_open(void) {
    library = find_library();
    if (!library && how == AA_COUNTS_BY_CHOSEN_PAPI)
        return "the library that AUTOANALYZER_PAPI names cannot be loaded";
    if (!library || !bind())
        return "found no libpapi of version 5.6 to 7.2";
    disable_other_components();
    return initialise() ? NULL : "libpapi cannot be initialised";
}

uint32_t aa_papi_how(void) {
    return how;
}
