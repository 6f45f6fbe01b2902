/* The numerical heart: rays through the velocity model. */
#ifndef PROPAGATE_H
#define PROPAGATE_H

#include "survey.h"

/* Mean time that a fan of RAYS rays takes from the shot down to the basin's floor below it. */
double propagate(const struct model *model, const struct shot *shot, int rays);

#endif
