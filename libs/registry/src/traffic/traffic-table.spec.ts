import { beforeEach, describe, expect, it } from 'vitest';
import { TrafficTable } from './traffic-table.js';

const V3 = [{ version: '3' }, { version: '2' }, { version: '1' }];
const V2 = V3.slice(1);

let table: TrafficTable;
beforeEach(() => {
  table = new TrafficTable();
});

const nothingLoads = () => false;
const chosen = (versions = V3, request = {}, isLoading: (version: string) => boolean = nothingLoads) =>
  table.choose('m', versions, isLoading, request)?.version;
const shares = (versions: typeof V3, isLoading: (version: string) => boolean = nothingLoads) =>
  table.shares('m', versions, isLoading);

describe('requests that name no version', () => {
  it('go to the latest where there are no rules', () => {
    expect(chosen()).toBe('3');
    expect(chosen(V2)).toBe('2');
    expect(shares(V3)).toEqual({ '3': 1 });
    expect(shares([])).toEqual({});
  });

  it('BC-086 go to the pinned version, and to the latest while that does not serve', () => {
    table.set('m', { pinned: '1' });
    expect(chosen()).toBe('1');
    expect(chosen(V3.slice(0, 2))).toBe('3');
    expect(shares(V3)).toEqual({ '1': 1 });
    expect(table.choose('other', V3, nothingLoads)?.version).toBe('3');
  });

  it('are split, and shared by the rest while a version does not serve', () => {
    table.set('m', { weights: { '1': 3, '2': 1, '9': 100 } });
    expect(shares(V3)).toEqual({ '1': 0.75, '2': 0.25 });
    expect(shares(V3.slice(0, 2))).toEqual({ '2': 1 });
    expect(shares(V3.slice(0, 1))).toEqual({ '3': 1 });
    const seen = new Set(Array.from({ length: 200 }, () => chosen()));
    expect(seen).toEqual(new Set(['1', '2']));
    expect(chosen(V3.slice(0, 1))).toBe('3');
  });

  it('go nowhere while the versions that they should go to are loading', () => {
    table.set('m', { pinned: '1' });
    expect(chosen(V3.slice(0, 2), {}, (version) => version === '1')).toBeUndefined();
    expect(shares(V3.slice(0, 2), (version) => version === '1')).toEqual({});
    table.set('m', { weights: { '1': 1, '2': 1, '3': 0 } });
    expect(chosen(V3.slice(0, 2), {}, (version) => version === '1')).toBe('2');
    expect(chosen(V3.slice(0, 1), {}, (version) => version === '1')).toBeUndefined();
    expect(chosen(V3.slice(0, 1), {}, (version) => version === '3')).toBe('3');
  });

  it('stay with one version by their id, or by the header that the rules name', () => {
    const ids = Array.from({ length: 50 }, (_, index) => ({ id: `r${index}` }));
    table.set('m', { weights: { '1': 1, '2': 1 } });
    expect(new Set(ids.map((request) => chosen(V3, request))).size).toBe(2);
    for (const request of ids) expect(chosen(V3, request)).toBe(chosen(V3, request));

    table.set('m', { weights: { '1': 1, '2': 1 }, stickyHeader: 'x-user' });
    const ofUser = ids.map((request) => chosen(V3, { ...request, headers: { 'x-user': 'ada' } }));
    expect(new Set(ofUser).size).toBe(1);
    expect(new Set(ids.map((request) => chosen(V3, { ...request, headers: {} }))).size).toBe(2);
  });

  it('have a shadow unless it is the shadow that answers', () => {
    table.set('m', { shadow: { version: '3', fraction: 0.5 } });
    expect(table.shadowOf('m', '2')).toEqual({ version: '3', fraction: 0.5 });
    expect(table.shadowOf('m', '3')).toBeUndefined();
    expect(chosen(V2)).toBe('2');
    table.set('m', {});
    expect(table.get('m')).toBeUndefined();
    expect(table.shadowOf('m', '2')).toBeUndefined();
  });
});
