#include "propagate.h"

#include <math.h>

static const double step_length = 0.5;
static const double fan_half_angle = 0.5; /* radians from the vertical */

struct sample {
    double velocity, gradient_x, gradient_z;
};

/* Velocity and its gradient at a point inside the model, bilinear in the cell that holds it. */
static inline struct sample sample_model(const struct model *model, double x, double z) {
    int column = (int)x, row = (int)z;
    double right = x - column, below = z - row;
    const double *near = &model->velocity[column][row], *far = &model->velocity[column + 1][row];
    double top = near[0] + right * (far[0] - near[0]);
    double bottom = near[1] + right * (far[1] - near[1]);
    return (struct sample){
        .velocity = top + below * (bottom - top),
        .gradient_x = (1 - below) * (far[0] - near[0]) + below * (far[1] - near[1]),
        .gradient_z = bottom - top,
    };
}

double propagate(const struct model *model, const struct shot *shot, int rays) {
    double total = 0;
    for (int ray = 0; ray < rays; ray++) {
        double angle = fan_half_angle * (2.0 * (ray + 0.5) / rays - 1);
        double x = shot->x, z = 0, toward_x = sin(angle), toward_z = cos(angle);
        /* A ray bends towards lower velocity; it ends at the floor, or where it leaves the model. */
        while (z < shot->floor && z >= 0 && x >= 0 && x < MODEL_NX - 1) {
            struct sample here = sample_model(model, x, z);
            double bend = step_length / here.velocity;
            double along = here.gradient_x * toward_x + here.gradient_z * toward_z;
            toward_x -= bend * (here.gradient_x - along * toward_x);
            toward_z -= bend * (here.gradient_z - along * toward_z);
            double length = sqrt(toward_x * toward_x + toward_z * toward_z);
            x += step_length * (toward_x /= length);
            z += step_length * (toward_z /= length);
            total += bend;
        }
    }
    return total / rays;
}
