#include "spectra.h"

#include <math.h>

/* The cosine of a place in the window, wound around it any number of times. */
static double cosine[SAMPLES];

static void fill_table(void) {
    const double step = 2 * acos(-1) / SAMPLES;
    for (int i = 0; i < SAMPLES; i++)
        cosine[i] = cos(step * i);
}

struct peak analyse(const double signal[SAMPLES]) {
    double tapered[SAMPLES], power[WAVES];
    struct peak peak = {0, 0};
    if (cosine[0] == 0)
        fill_table();
    for (int i = 0; i < SAMPLES; i++)
        tapered[i] = signal[i] * (0.5 - 0.5 * cosine[i]);
    for (int wave = 0; wave < WAVES; wave++) {
        double real = 0, imaginary = 0;
        for (int i = 0; i < SAMPLES; i++) {
            int place = (wave + 1) * i % SAMPLES;
            real += tapered[i] * cosine[place];
            imaginary -= tapered[i] * cosine[(place + 3 * SAMPLES / 4) % SAMPLES];
        }
        power[wave] = real * real + imaginary * imaginary;
    }
    for (int wave = 0; wave < WAVES; wave++) {
        if (power[wave] > peak.power)
            peak = (struct peak){wave + 1, power[wave]};
    }
    return peak;
}
