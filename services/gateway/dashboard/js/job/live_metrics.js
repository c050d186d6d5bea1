/** The samples and metrics of a job, fetched as they come. */

import { api } from "../api.js";
import { ended } from "../job_states.js";
import { poll } from "../polling.js";
import { bad } from "../toasts.js";

const EVERY_MS = 2000;
const ENDED_MS = 10_000;
/** Samples kept here; the gateway has thinned the old ones. */
const MOST = 4000;

/** Calls `changed({samples, operators, bottleneck, backpressured})` after each fetch. Returns what ends it. */
export function follow_metrics(context, changed) {
  const kept = { samples: [], seq: 0 };
  let over = false;
  const forget = context.on_job((job) => (over = ended(job.state)));
  let last = 0;
  const stop = poll(
    EVERY_MS,
    async (signal) => {
      if (over && last && Date.now() - last < ENDED_MS) return;
      const answer = await api.metrics(context.jid, kept.seq, signal);
      last = Date.now();
      const newer = answer.samples.filter((sample) => sample.seq > kept.seq);
      kept.samples = [...kept.samples, ...newer].slice(-MOST);
      kept.seq = Math.max(kept.seq, answer.seq ?? 0);
      changed({ ...answer, samples: kept.samples });
    },
    (error) => error.status && bad(error),
  );
  return () => {
    stop();
    forget();
  };
}
