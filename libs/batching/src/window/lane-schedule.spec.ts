import { describe, expect, it } from 'vitest';
import { LaneSchedule } from './lane-schedule.js';

const tenMs = () => 10;

describe('the lane schedule', () => {
  it('says when the next of the other lanes is free', () => {
    const lanes = new LaneSchedule();
    expect(lanes.untilAnotherIsFree(0, 1, tenMs)).toBe(Infinity);
    expect(lanes.untilAnotherIsFree(0, 3, tenMs)).toBe(0);
    lanes.started(0, 1, 4);
    expect(lanes.untilAnotherIsFree(2, 3, tenMs)).toBe(0);
    lanes.started(1, 2, 4);
    expect(lanes.untilAnotherIsFree(2, 3, tenMs)).toBe(8);
    lanes.completed(1, 3);
    expect(lanes.untilAnotherIsFree(3, 2, tenMs)).toBe(8);
  });

  it('expects an overdue lane at any moment', () => {
    const lanes = new LaneSchedule();
    lanes.started(0, 1, 4);
    expect(lanes.untilAnotherIsFree(50, 2, tenMs)).toBe(0);
  });

  it('does not count what it has not seen start, or has seen end', () => {
    const lanes = new LaneSchedule();
    lanes.completed(7, 2);
    lanes.started(0, 1, 1);
    lanes.completed(1, 2);
    lanes.completed(1, 2);
    expect(lanes.untilAnotherIsFree(0, 2, tenMs)).toBe(0);
  });

  it('forgets lanes that were replaced', () => {
    const lanes = new LaneSchedule();
    for (let lane = 0; lane < 1000; lane++) {
      lanes.started(lane, lane, 1);
      lanes.completed(lane, 2);
    }
    lanes.started(1000, 1001, 1);
    expect(lanes.untilAnotherIsFree(1000, 2, tenMs)).toBe(10);
  });
});
