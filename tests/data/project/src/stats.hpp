#pragma once

namespace stats {

template <typename Values>
double mean(const Values &values)
{
    double sum = 0;
    for (const auto &value : values)
        sum += value;
    return sum / values.size();
}

} // namespace stats
