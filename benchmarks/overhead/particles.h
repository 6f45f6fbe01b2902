/* Particles that fly through a slab of cells, written with accessors, operators and small functions. */
#ifndef PARTICLES_H
#define PARTICLES_H

#include <cmath>
#include <cstdint>
#include <vector>

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
    double operator()() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return double(state_ >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state_;
};

class Vector {
  public:
    Vector(double x = 0, double y = 0, double z = 0) : v_{x, y, z} {}
    double &operator[](int i) { return v_[i]; }
    double operator[](int i) const { return v_[i]; }
    Vector &operator+=(const Vector &other) {
        for (int i = 0; i < 3; i++)
            v_[i] += other[i];
        return *this;
    }
    friend Vector operator*(double factor, Vector a) {
        for (int i = 0; i < 3; i++)
            a[i] *= factor;
        return a;
    }
    double dot(const Vector &other) const { return v_[0] * other[0] + v_[1] * other[1] + v_[2] * other[2]; }

  private:
    double v_[3];
};

class Cells {
  public:
    explicit Cells(int count) : total_(count), absorption_(count), tally_(count) {
        for (int i = 0; i < count; i++) {
            total_[i] = 1 + 0.5 * std::sin(0.1 * i);
            absorption_[i] = 0.1 * total_[i];
        }
    }
    int size() const { return int(total_.size()); }
    bool contains(int cell) const { return cell >= 0 && cell < size(); }
    double total(int cell) const { return total_[cell]; }
    double absorption(int cell) const { return absorption_[cell]; }
    void score(int cell, double length) { tally_[cell] += length; }
    double tally(int cell) const { return tally_[cell]; }

  private:
    std::vector<double> total_, absorption_, tally_;
};

class Particle {
  public:
    explicit Particle(Random &random) : direction_(direction(random)), weight_(1), cell_(0) {}
    bool alive() const { return weight_ > 1e-3; }
    int cell() const { return cell_; }
    double weight() const { return weight_; }
    const Vector &place() const { return place_; }
    void move(double length) { place_ += length * direction_; }
    void cross() { cell_ += direction_[0] > 0 ? 1 : -1; }
    void scatter(Random &random) { direction_ = direction(random); }
    void absorb(double share) { weight_ *= 1 - share; }
    void end() { weight_ = 0; }
    double to_border() const {
        double border = direction_[0] > 0 ? cell_ + 1 : cell_;
        return std::fabs((border - place_[0]) / (std::fabs(direction_[0]) + 1e-9)) + 1e-9;
    }

  private:
    static Vector direction(Random &random) {
        double x = 2 * random() - 1, around = 6.283185307179586 * random(), radius = std::sqrt(1 - x * x);
        return Vector(x, radius * std::cos(around), radius * std::sin(around));
    }
    Vector place_, direction_;
    double weight_;
    int cell_;
};

#endif
