// Gas in a tube, a part of it on each rank.
#ifndef TUBE_H
#define TUBE_H

#include <mpi.h>

#include <vector>

template <typename Real> class Tube {
  public:
    explicit Tube(int cells) : density_(cells + 2), pressure_(cells + 2), keys_(), values_() {
        int rank, size;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        left_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        right_ = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
        for (int cell = 1; cell <= cells; cell++)
            density_[cell] = Real(1) + Real(0.5) * ((rank * cells + cell) * 31 % 1000) / 1000;
        for (int entry = 0; entry <= entries; entry++) {
            Real key = Real(2) * entry / entries;
            keys_.push_back(key);
            values_.push_back(key * key * (Real(1) + Real(0.1) * key));
        }
    }

    // Let the gas flow for a moment.
    void step() {
        find_pressures();
        exchange();
        flow();
    }

    // The gas in the whole tube.
    Real mass() const {
        Real own = 0, all = 0;
        for (std::size_t cell = 1; cell + 1 < density_.size(); cell++)
            own += density_[cell];
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
    }

  private:
    static const int entries = 2000; // of the table

    void find_pressures();

    void exchange() {
        Real *pressure = pressure_.data();
        std::size_t last = pressure_.size() - 2;
        pressure[0] = pressure[1];
        pressure[last + 1] = pressure[last];
        MPI_Sendrecv(&pressure[1], 1, MPI_DOUBLE, left_, 0, &pressure[last + 1], 1, MPI_DOUBLE, right_, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&pressure[last], 1, MPI_DOUBLE, right_, 1, &pressure[0], 1, MPI_DOUBLE, left_, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    void flow() {
        for (std::size_t cell = 1; cell + 1 < density_.size(); cell++)
            density_[cell] += Real(0.01) * (pressure_[cell - 1] - 2 * pressure_[cell] + pressure_[cell + 1]);
    }

    std::vector<Real> density_, pressure_; // of the cells, and one beyond each end
    std::vector<Real> keys_, values_;      // the table of pressures by density
    int left_, right_;
};

#endif
