/* A field on a lattice: ranges, iterators and operators that build expressions. */
#ifndef LATTICE_H
#define LATTICE_H

#include <cstddef>
#include <vector>

class Site {
  public:
    Site(int x, int y) : x_(x), y_(y) {}
    int x() const { return x_; }
    int y() const { return y_; }
    Site east() const { return Site(x_ + 1, y_); }
    Site west() const { return Site(x_ - 1, y_); }
    Site north() const { return Site(x_, y_ + 1); }
    Site south() const { return Site(x_, y_ - 1); }

  private:
    int x_, y_;
};

/* The inner sites, row by row. */
class Inside {
  public:
    class Iterator {
      public:
        Iterator(int width, Site site) : width_(width), site_(site) {}
        Site operator*() const { return site_; }
        Iterator &operator++() {
            site_ = site_.x() + 2 < width_ ? site_.east() : Site(1, site_.y() + 1);
            return *this;
        }
        bool operator!=(const Iterator &other) const { return site_.y() != other.site_.y(); }

      private:
        int width_;
        Site site_;
    };
    Inside(int width, int height) : width_(width), height_(height) {}
    Iterator begin() const { return Iterator(width_, Site(1, 1)); }
    Iterator end() const { return Iterator(width_, Site(1, height_ - 1)); }

  private:
    int width_, height_;
};

template <class A, class B> class Sum {
  public:
    Sum(const A &a, const B &b) : a_(a), b_(b) {}
    double operator()(Site site) const { return a_(site) + b_(site); }

  private:
    A a_;
    B b_;
};

template <class A> class Scaled {
  public:
    Scaled(double factor, const A &a) : factor_(factor), a_(a) {}
    double operator()(Site site) const { return factor_ * a_(site); }

  private:
    double factor_;
    A a_;
};

class Field {
  public:
    Field(int width, int height) : width_(width), height_(height), values_(std::size_t(width) * height) {}
    double operator()(Site site) const { return values_[index(site)]; }
    double &operator()(Site site) { return values_[index(site)]; }
    Inside inside() const { return Inside(width_, height_); }
    double *row(int y) { return &values_[std::size_t(y) * width_]; }
    int width() const { return width_; }
    int height() const { return height_; }

  private:
    std::size_t index(Site site) const { return std::size_t(site.y()) * width_ + site.x(); }
    int width_, height_;
    std::vector<double> values_;
};

/* A field as a term of an expression; Around is another term, the sum of a site's four neighbours. */
class Term {
  public:
    explicit Term(const Field &field) : field_(&field) {}
    double operator()(Site site) const { return (*field_)(site); }

  private:
    const Field *field_;
};

class Around {
  public:
    explicit Around(const Field &field) : field_(&field) {}
    double operator()(Site site) const {
        return (*field_)(site.east()) + (*field_)(site.west()) + (*field_)(site.north()) +
               (*field_)(site.south());
    }

  private:
    const Field *field_;
};

template <class A, class B> Sum<A, B> operator+(const A &a, const B &b) {
    return Sum<A, B>(a, b);
}
template <class A> Scaled<A> operator*(double factor, const A &a) {
    return Scaled<A>(factor, a);
}

template <class Expression> void assign(Field &target, const Expression &expression) {
    for (Site site : target.inside())
        target(site) = expression(site);
}

#endif
