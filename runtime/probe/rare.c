#include "rare.h"

_Thread_local bool aa_rare_work __attribute__((tls_model("initial-exec")));
