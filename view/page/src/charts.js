// The script for charts, separate and with its own styles; only pages with time lines include it.
import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";

globalThis.uPlot = uPlot;
