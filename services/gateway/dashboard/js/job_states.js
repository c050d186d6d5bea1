/** The states of jobs: a word, a colour and a shape for each. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const STATES = {
  CREATED: ["wait", "clock"],
  INITIALIZING: ["wait", "clock"],
  RUNNING: ["good", "play"],
  RESTARTING: ["warn", "turn"],
  CANCELLING: ["warn", "stop"],
  RECONCILING: ["warn", "warn"],
  FINISHED: ["done", "check"],
  CANCELED: ["gone", "slash"],
  FAILED: ["bad", "cross"],
};

const MEANS = {
  CREATED: "No driver has taken the job yet",
  INITIALIZING: "The driver is up; the job's first epoch is being prepared",
  RUNNING: "Epochs run",
  RESTARTING: "It failed, and starts again from its checkpoint",
  CANCELLING: "It is being cancelled",
  RECONCILING: "The launcher's engine does not answer; the job may still run",
  FINISHED: "It came to its end",
  CANCELED: "It was cancelled",
  FAILED: "It ended with an error",
};

export const ended = (state) => ["FINISHED", "CANCELED", "FAILED"].includes(state);
export const starting = (state) => ["CREATED", "INITIALIZING"].includes(state);

export function state_badge(state) {
  const [kind, sign] = STATES[state] ?? ["gone", "ring"];
  return h(`span.state.${kind}`, { title: MEANS[state] }, icon(sign), state);
}
