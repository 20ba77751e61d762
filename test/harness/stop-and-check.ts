import { expect } from 'vitest';
import type { MetricsText } from './metrics-text.js';
import type { RunningServer } from './running-server.js';

const RECEIVED = 'smartbatch_requests_received_total';

/**
 * What must hold after every test file: every request that came in has ended once, by the server's own count
 * (P1); and SIGTERM ends the server in order.
 */
export async function stopAndCheck(server: RunningServer): Promise<void> {
  await server.untilMetrics('nothing is in flight', (metrics) =>
    metrics.labelsOf(RECEIVED).every(({ model }) => metrics.inFlight(model!) === 0),
  );
  const metrics = await server.metrics();
  expect(metrics.value(RECEIVED)).toBeGreaterThan(0);
  expectConservation(metrics);
  expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.process.stderrLines).toEqual([]);
}

/** received = ended + in flight, for every model. */
export function expectConservation(metrics: MetricsText): void {
  const received: Record<string, number> = {};
  const accounted: Record<string, number> = {};
  for (const labels of metrics.labelsOf(RECEIVED)) {
    const key = `${labels['model']} ${labels['version']}`;
    received[key] = metrics.value(RECEIVED, labels);
    accounted[key] =
      metrics.value('smartbatch_requests_total', labels) +
      metrics.value('smartbatch_requests_in_flight', labels);
  }
  expect(accounted).toEqual(received);
}
