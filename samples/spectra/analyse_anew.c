#include "spectra.h"

#include <math.h>

struct peak analyse(const double signal[SAMPLES]) {
    const double step = 2 * acos(-1) / SAMPLES;
    double tapered[SAMPLES], power[WAVES];
    struct peak peak = {0, 0};
    for (int i = 0; i < SAMPLES; i++)
        tapered[i] = signal[i] * (0.5 - 0.5 * cos(step * i));
    for (int wave = 0; wave < WAVES; wave++) {
        double real = 0, imaginary = 0;
        for (int i = 0; i < SAMPLES; i++) {
            real += tapered[i] * cos(step * (wave + 1) * i);
            imaginary -= tapered[i] * sin(step * (wave + 1) * i);
        }
        power[wave] = real * real + imaginary * imaginary;
    }
    for (int wave = 0; wave < WAVES; wave++) {
        if (power[wave] > peak.power)
            peak = (struct peak){wave + 1, power[wave]};
    }
    return peak;
}
