import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { InferenceMetrics } from './inference-metrics.js';
import * as names from './metric-providers.js';

const { METRIC_PROVIDERS } = names;

let metrics: InferenceMetrics;

beforeEach(async () => {
  register.clear();
  const module = await Test.createTestingModule({
    providers: [...METRIC_PROVIDERS, InferenceMetrics],
  }).compile();
  metrics = module.get(InferenceMetrics);
});

/** The lines of a metric as Prometheus gets them, without its name. */
async function linesOf(name: string): Promise<string[]> {
  const text = await register.getSingleMetricAsString(name);
  return text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(name.length));
}

describe('the metrics of a model', () => {
  it('P1 account for every request: received is what has ended and what is in flight', async () => {
    const model = metrics.forModel('digits', 'v1');
    for (let request = 0; request < 5; request++) model.requestReceived();
    model.requestEnded('ok');
    model.requestEnded('ok');
    model.requestEnded('expired');
    expect(await linesOf(names.REQUESTS_RECEIVED)).toEqual(['{model="digits",version="v1"} 5']);
    expect(await linesOf(names.REQUESTS_IN_FLIGHT)).toEqual(['{model="digits",version="v1"} 2']);
    const ended = await linesOf(names.REQUESTS_ENDED);
    expect(ended).toContain('{model="digits",version="v1",outcome="ok"} 2');
    expect(ended).toContain('{model="digits",version="v1",outcome="expired"} 1');
    expect(ended).toHaveLength(2);
  });

  it('BC-077 tell why batches started, how large they are, how long they run and how long items waited', async () => {
    const items = [{ arrival: 1000 }, { arrival: 1500 }];
    const batch = { size: 2, trigger: 'full', items, startedAt: 2000, endedAt: 4500, error: undefined };
    metrics.forModel('m', '1').batchEnded(batch);
    const label = '{model="m",version="1"}';
    expect(await linesOf(names.BATCH_SIZE)).toContain(`_sum${label} 2`);
    expect(await linesOf(names.BATCH_RUN)).toContain(`_sum${label} 2.5`);
    expect(await linesOf(names.QUEUE_WAIT)).toEqual(
      expect.arrayContaining([`_sum${label} 1.5`, `_count${label} 2`]),
    );
    expect(await linesOf(names.BATCHES)).toEqual(['{model="m",version="1",trigger="full"} 1']);
    expect(await linesOf(names.BATCHES_FAILED)).toEqual([]);
  });

  it('count failed batches by their code', async () => {
    const batch = {
      size: 1,
      trigger: 'full',
      items: [],
      startedAt: 0,
      endedAt: 1,
      error: { code: 'contract_violation' },
    };
    metrics.forModel('m', '1').batchEnded(batch);
    expect(await linesOf(names.BATCHES_FAILED)).toEqual([
      '{model="m",version="1",code="contract_violation"} 1',
    ]);
  });

  it('BC-115 show the moment only when they are asked for it', async () => {
    let queueSize = 3;
    const stop = metrics.onScrape(() =>
      metrics.forModel('m', '1').report({ queueSize, lanes: 2, breaker: 'half-open' }),
    );
    metrics.collect();
    expect(await linesOf(names.QUEUE_SIZE)).toEqual(['{model="m",version="1"} 3']);
    expect(await linesOf(names.LANES)).toEqual(['{model="m",version="1"} 2']);
    expect(await linesOf(names.BREAKER_STATE)).toEqual(['{model="m",version="1"} 1']);
    queueSize = 9;
    stop();
    metrics.collect();
    expect(await linesOf(names.QUEUE_SIZE)).toEqual(['{model="m",version="1"} 3']);
  });

  it('BC-116 have one series for all models that do not exist', async () => {
    for (let request = 0; request < 10; request++) metrics.unknown.requestReceived();
    expect(await linesOf(names.REQUESTS_RECEIVED)).toEqual(['{model="unknown",version="unknown"} 10']);
  });

  it('BC-116 of a version that is gone are shown in one more scrape, then none of them is left', async () => {
    for (const version of ['1', '2']) {
      const model = metrics.forModel('m', version);
      model.requestReceived();
      model.requestEnded('ok');
      model.report({ queueSize: 4, lanes: 1, breaker: 'closed' });
      model.batchEnded({ size: 1, trigger: 'full', items: [], startedAt: 0, endedAt: 1, error: undefined });
    }
    await metrics.release('m', '1');
    await metrics.release('m', 'never');
    expect(await linesOf(names.REQUESTS_RECEIVED)).toHaveLength(2);
    await metrics.forgetRetired();
    expect(await register.metrics()).not.toContain('version="1"');
    expect(await linesOf(names.BATCHES)).toEqual(['{model="m",version="2",trigger="full"} 1']);
    expect(await linesOf(names.QUEUE_SIZE)).toEqual(['{model="m",version="2"} 4']);
  });

  it('BC-088 of a version that comes back before its last scrape go on, after it they start anew', async () => {
    metrics.forModel('m', '1').requestReceived();
    await metrics.release('m', '1');
    metrics.forModel('m', '1').requestReceived();
    await metrics.forgetRetired();
    expect(await linesOf(names.REQUESTS_RECEIVED)).toEqual(['{model="m",version="1"} 2']);
    await metrics.release('m', '1');
    await metrics.forgetRetired();
    metrics.forModel('m', '1').requestReceived();
    expect(await linesOf(names.REQUESTS_RECEIVED)).toEqual(['{model="m",version="1"} 1']);
  });

  it('stay while the version that replaces another uses them too', async () => {
    metrics.forModel('m', '1').requestReceived();
    metrics.forModel('m', '1');
    await metrics.release('m', '1');
    await metrics.forgetRetired();
    expect(await linesOf(names.REQUESTS_RECEIVED)).toHaveLength(1);
  });

  it('BC-116 are not brought back by what ends after they were removed', async () => {
    const model = metrics.forModel('m', '1');
    model.requestReceived();
    await metrics.release('m', '1');
    await metrics.forgetRetired();
    model.requestEnded('ok');
    model.batchEnded({ size: 1, trigger: 'full', items: [], startedAt: 0, endedAt: 1, error: undefined });
    expect(await register.metrics()).not.toContain('version="1"');
  });

  it('P5 of models that come and go do not pile up where nobody scrapes', async () => {
    for (let model = 0; model < 300; model++) {
      metrics.forModel(`m${model}`, '1').requestReceived();
      await metrics.release(`m${model}`, '1');
    }
    expect((await linesOf(names.REQUESTS_RECEIVED)).length).toBeLessThanOrEqual(100);
  });

  it('are each provided under a name of their own', () => {
    const provided = METRIC_PROVIDERS.map((provider) => String((provider as { provide: unknown }).provide));
    expect(new Set(provided).size).toBe(METRIC_PROVIDERS.length);
  });
});
