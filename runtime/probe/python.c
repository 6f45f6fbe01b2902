/*
 * Python functions as regions. The hook (runtime/python_hook), which runs in the program's interpreter,
 * decides which code objects are regions. Calls of these code objects are handled here, for speed.
 *
 * The library is not linked to Python and is compiled without its headers. It looks up the interpreter's
 * functions in the process. The functions belong to the stable interface, or are found under one of two
 * names. In this file, an object is only a pointer.
 */
#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct object object; /* Python's PyObject */

typedef object *function(object *self, object *const *arguments, ssize_t count);
typedef int profile_function(object *given, object *frame, int event, object *argument);

#define FAST_CALL 0x80 /* Python's METH_FASTCALL */

enum { PROFILE_CALL = 0, PROFILE_RETURN = 3 }; /* Python's PyTrace_CALL and PyTrace_RETURN */

/* Python's PyMethodDef. */
struct method {
    const char *name;
    function *call;
    int flags;
    const char *text;
};

/*
 * The value stored with a code object is null before the hook has decided, this address if the object is not
 * a region, and otherwise the address of a descriptor.
 */
static const char no_region[] = "";

static struct {
    object *(*new_function)(struct method *, object *, object *);
    object *(*call_one)(object *, object *, ...);
    void (*take)(object *);
    void (*drop)(object *);
    void (*print_error)(object *);
    object *(*error)(void);
    object *(*code_of_frame)(object *);
    ssize_t (*new_index)(void (*)(void *));
    int (*get)(object *, ssize_t, void **);
    int (*put)(object *, ssize_t, void *);
    void (*set_profile)(profile_function *, object *);
    object *none;
    /* the hook's function that decides whether a code object is a region; the value that disables an event in
     * its code */
    object *decide, *disable;
    ssize_t index;
} python;

static void *find(const char *name, const char *other) {
    void *found = dlsym(RTLD_DEFAULT, name);
    return found || !other ? found : dlsym(RTLD_DEFAULT, other);
}

/* Looks up all functions; returns false if one is missing. Python 3.9 is the oldest version that has them. */
static bool look_up(void) {
    python.new_function = find("PyCFunction_NewEx", NULL);
    python.call_one = find("PyObject_CallFunctionObjArgs", NULL);
    python.take = find("Py_IncRef", NULL);
    python.drop = find("Py_DecRef", NULL);
    python.print_error = find("PyErr_WriteUnraisable", NULL);
    python.error = find("PyErr_Occurred", NULL);
    python.code_of_frame = find("PyFrame_GetCode", NULL);
    python.new_index = find("PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex");
    python.get = find("PyUnstable_Code_GetExtra", "_PyCode_GetExtra");
    python.put = find("PyUnstable_Code_SetExtra", "_PyCode_SetExtra");
    python.set_profile = find("PyEval_SetProfile", NULL);
    python.none = find("_Py_NoneStruct", NULL);
    return python.new_function && python.call_one && python.take && python.drop && python.print_error &&
           python.error && python.code_of_frame && python.new_index && python.get && python.put &&
           python.set_profile && python.none;
}

AA_EXPORT bool aa_python_open(object *decide, object *disable) {
    if (!look_up() || (python.index = python.new_index(NULL)) < 0)
        return false;
    python.take(decide);
    python.take(disable);
    python.decide = decide;
    python.disable = disable;
    return true;
}

/* Returns a copy of a descriptor, which lives as long as the process; null if there is no memory. */
AA_EXPORT const char *aa_python_region(const char *descriptor) {
    return strdup(descriptor);
}

/* Marks a code object as the region with this descriptor, or, if the descriptor is null, as not a region. */
AA_EXPORT void aa_python_mark(object *code, const char *descriptor) {
    python.put(code, python.index, (void *)(descriptor ? descriptor : no_region));
}

/* Appends a text to a file if possible; uses system calls, because this is not the program's I/O. */
AA_EXPORT void aa_python_append(const char *path, const char *text) {
    long file =
        syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0)
        return;
    (void)syscall(SYS_write, file, text, strlen(text));
    syscall(SYS_close, file);
}

/* ---- events */

static inline const char *known(object *code) {
    void *found = NULL;
    return python.get(code, python.index, &found) == 0 ? found : no_region;
}

/*
 * Calls the hook, which decides whether a code object is a region, and marks it. Returns the value stored
 * with the object. frame: the object's frame; null if the hook should find it.
 */
static __attribute__((noinline)) const char *decide(object *code, object *frame) {
    if (python.error())
        /* an exception was thrown into a generator before its first step, so nothing is executed */
        return no_region;
    object *answer = python.call_one(python.decide, frame ? frame : python.none, NULL);
    if (answer)
        python.drop(answer);
    else
        python.print_error(python.decide);
    const char *descriptor = known(code);
    return descriptor ? descriptor : no_region;
}

static object *new (object *result) {
    python.take(result);
    return result;
}

static object *start(object *self, object *const *arguments, ssize_t count) {
    (void)self, (void)count;
    const char *descriptor = known(arguments[0]);
    if (__builtin_expect(descriptor == NULL, 0))
        descriptor = decide(arguments[0], NULL);
    if (descriptor == no_region)
        return new (python.disable);
    aa_probe_enter(descriptor);
    return new (python.none);
}

static object *resume(object *self, object *const *arguments, ssize_t count) {
    (void)self, (void)count;
    const char *descriptor = known(arguments[0]);
    if (descriptor && descriptor != no_region)
        aa_probe_enter(descriptor);
    return new (python.none);
}

static object *leave(object *self, object *const *arguments, ssize_t count) {
    (void)self, (void)count;
    const char *descriptor = known(arguments[0]);
    if (descriptor && descriptor != no_region)
        aa_probe_exit(descriptor);
    return new (python.none);
}

/*
 * Returns a new function for sys.monitoring that handles an event: 's' is start, 'r' is resume, any other
 * letter is leave. Returns null after a Python error.
 */
AA_EXPORT object *aa_python_callback(char event) {
    static struct method methods[] = {{"start", start, FAST_CALL, NULL},
                                      {"resume", resume, FAST_CALL, NULL},
                                      {"leave", leave, FAST_CALL, NULL}};
    struct method *method = &methods[event == 's' ? 0 : event == 'r' ? 1 : 2];
    return python.new_function(method, NULL, NULL);
}

/* Handles an event in Python before 3.12, which reports all calls, including those of C functions. */
static int profile(object *given, object *frame, int event, object *argument) {
    (void)given, (void)argument;
    if (event != PROFILE_CALL && event != PROFILE_RETURN)
        return 0;
    object *code = python.code_of_frame(frame);
    const char *descriptor = known(code);
    if (__builtin_expect(descriptor == NULL, 0))
        descriptor = event == PROFILE_CALL ? decide(code, frame) : no_region;
    python.drop(code);
    if (descriptor == no_region)
        return 0;
    if (event == PROFILE_CALL)
        aa_probe_enter(descriptor);
    else
        aa_probe_exit(descriptor);
    return 0;
}

/*
 * From now on, handles the calling thread's calls, starting with this event. The interpreter keeps a
 * reference to the hook.
 */
AA_EXPORT void aa_python_profile(object *hook, object *frame, int event) {
    python.set_profile(profile, hook);
    profile(hook, frame, event, NULL);
}
