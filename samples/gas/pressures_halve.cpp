#include "tube.h"

template <typename Real> void Tube<Real>::find_pressures() {
    for (std::size_t cell = 1; cell + 1 < density_.size(); cell++) {
        Real density = density_[cell];
        std::size_t entry = 0, end = keys_.size() - 1;
        while (end - entry > 1) {
            std::size_t middle = (entry + end) / 2;
            (keys_[middle] <= density ? entry : end) = middle;
        }
        Real part = (density - keys_[entry]) / (keys_[entry + 1] - keys_[entry]);
        pressure_[cell] = values_[entry] + part * (values_[entry + 1] - values_[entry]);
    }
}

template void Tube<double>::find_pressures();
