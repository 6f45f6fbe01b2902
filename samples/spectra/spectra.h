/* The strongest wave in a window of a signal. */
#ifndef SPECTRA_H
#define SPECTRA_H

enum { SAMPLES = 512, WAVES = 24 };

struct peak {
    int wave;
    double power;
};

/* Fill a window with its part of the signal. */
void record(int window, double signal[SAMPLES]);

/* Find the strongest wave, from 1 to WAVES periods in the window. */
struct peak analyse(const double signal[SAMPLES]);

#endif
