// Fourier transforms, filters, windows, tables of functions.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void twiddles(double *restrict re, double *restrict im, int n) {
    for (int k = 0; k < n / 2; k++) {
        re[k] = cos(2 * M_PI * k / n);
        im[k] = -sin(2 * M_PI * k / n);
    }
}

void butterflies(double *restrict re, const double *restrict wr, int n) {
    for (int half = 1; half < n; half *= 2)
        for (int at = 0; at < n; at += 2 * half)
            for (int k = 0; k < half; k++) {
                double t = wr[k] * re[at + k + half];
                re[at + k + half] = re[at + k] - t;
                re[at + k] += t;
            }
}

void bit_reversal(double *x, int n) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
}

void fft(double *x, int n);

void transform_columns(double (*a)[512], double *column) {
    for (int j = 0; j < 512; j++) {
        for (int i = 0; i < 512; i++)
            column[i] = a[i][j];
        fft(column, 512);
        for (int i = 0; i < 512; i++)
            a[i][j] = column[i];
    }
}

void convolve(double *restrict y, const double *restrict x, const double *restrict h, int n, int taps) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < taps; k++)
            sum += h[k] * x[i + k];
        y[i] = sum;
    }
}

void decimate(double *restrict y, const double *restrict x, int n) {
    for (int i = 0; i < n; i++)
        y[i] = x[16 * i];
}

void grey(double *restrict y, const double *restrict rgb, int n) {
    for (int i = 0; i < n; i++)
        y[i] = 0.3 * rgb[3 * i] + 0.6 * rgb[3 * i + 1] + 0.1 * rgb[3 * i + 2];
}

void gaussian(double *restrict y, const double *restrict x, double width, int n) {
    const double c = -0.5 / (width * width);
    for (int i = 0; i < n; i++)
        y[i] = exp(c * x[i] * x[i]);
}

void phase(double *restrict y, const double *restrict x, int n, double w) {
    const double cw = cos(w), sw = sin(w);
    double re = 1, im = 0;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * re;
        double t = re * cw - im * sw;
        im = re * sw + im * cw;
        re = t;
    }
}

void squares(double *restrict y, const double *restrict x, int n) {
    for (int i = 0; i < n; i++)
        y[i] = pow(x[i], 2) + pow(x[i], 1.7);
}

void normalise(double *x, int n, double sum) {
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

void energy_of_bins(double *e, const double *re, const double *im, int n) {
    for (int i = 0; i < n; i++) {
        double p = re[i] * re[i] + im[i] * im[i];
        e[i] = p;
        e[n + i] += p;
    }
}

void products(double *restrict a, double *restrict b, const double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = x[i] * y[i];
        b[i] = 2 + x[i] * y[i];
    }
}

void same_operands(double *a, const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++) {
        a[0] += x[i] * y[i];
        a[1] += x[i] * y[i] * i;
    }
}

void chebyshev(double *t, const double *x, int n) {
    for (int i = 0; i < n; i++) {
        double before = 1, now = x[i];
        for (int k = 2; k < 20; k++) {
            double next = 2 * x[i] * now - before;
            before = now;
            now = next;
        }
        t[i] = now;
    }
}

void damped(double *x, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        double damping = exp(-0.01 * t);
        for (int i = 0; i < n; i++)
            x[i] *= damping;
    }
}

void modes(double (*u)[300], int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 300; j++)
            u[i][j] = sin(0.1 * i + 0.2 * j);
}

// Faults.

void called_for_each_frame(double *x, int n) {
    //# visits_per_rank=500
    for (int i = 0; i < n; i++)
        x[i] *= sin(M_PI * i / n); //= repeated work
}

void moments(long *sum, const long *w, const long *x, int n) {
    for (int i = 0; i < n; i++) {
        sum[0] += w[i] * x[i]; //= repeated work
        sum[1] += w[i] * x[i] * x[i];
    }
}

void quotients(double *a, double *b, const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++) {
        a[i] += x[i] / y[i]; //= repeated work
        b[i] += x[i] / y[i] + 1;
    }
}

void dft(double *restrict re, const double *restrict x, int n) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            re[k] += x[i] * cos(2 * M_PI * k * i / n); //= repeated work
}

void windows(double (*x)[1024], int frames) {
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < 1024; i++)
            x[f][i] *= 0.5 - 0.5 * cos(2 * M_PI * i / 1023); //= repeated work
}

void decay(double *restrict y, const double *restrict x, double t, int n) {
    for (int i = 0; i < n; i++)
        y[i] = x[i] * exp(-t / 3); //= repeated work
}

void cubes(double *restrict y, const double *restrict x, int n) {
    for (int i = 0; i < n; i++)
        y[i] = 1 + pow(x[i], 3); //= repeated work
}

void roots(double *restrict y, const double *restrict x, int n) {
    for (int i = 0; i < n; i++)
        y[i] = pow(x[i], -0.5); //= repeated work
}

void draw(int *restrict y, const double *restrict u, const double *restrict cdf, int n) {
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (cdf[k] < u[i]) //= repeated work
            k++;
        y[i] = k;
    }
}
