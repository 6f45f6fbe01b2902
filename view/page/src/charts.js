// What draws charts: a script of its own, with its styles, which only pages with time lines hold.
import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";

globalThis.uPlot = uPlot;
