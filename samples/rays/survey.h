/* What is surveyed and from where: a velocity model of a sedimentary basin, and a line of shots above it. */
#ifndef SURVEY_H
#define SURVEY_H

enum { MODEL_NX = 800, MODEL_NZ = 200 }; /* cells of one length unit */

/* Seismic velocity at the nodes of a regular grid, x along the line, z downwards. */
struct model {
    double velocity[MODEL_NX][MODEL_NZ];
};

/* A source at the surface. The basin's floor dips along the line, so later shots look deeper. */
struct shot {
    double x;
    double floor;
};

/* Fills the model: velocity grows with depth, and the sediments scatter about the trend. */
void model_build(struct model *model);

/* Smooths the model in place, PASSES times. */
void model_smooth(struct model *model, int passes);

/* Places COUNT shots evenly along the line, from the shallow end to the deep one. */
void survey_plan(struct shot *shots, int count);

#endif
