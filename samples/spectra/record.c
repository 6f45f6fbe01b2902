#include "spectra.h"

#include <math.h>

/* A wave whose length depends on the window, and some noise that does, too. */
void record(int window, double signal[SAMPLES]) {
    const double step = 2 * acos(-1) / SAMPLES;
    unsigned noise = 12345u + (unsigned)window;
    for (int i = 0; i < SAMPLES; i++) {
        noise = noise * 1103515245u + 12345u;
        signal[i] = sin(step * (1 + window % WAVES) * i) + 0.1 * (noise >> 16 & 255) / 255;
    }
}
