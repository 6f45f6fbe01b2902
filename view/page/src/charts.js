// The script for charts. It is separate, with its own styles, because only pages with time lines include it.
import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";

globalThis.uPlot = uPlot;
