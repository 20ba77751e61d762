import { faultsFrom, withFaults } from '#testing';
import { slowSleeper } from './sleeper.js';

/** Takes as long as `slowSleeper`, except for the batches that are to stall: the folder `STALLS` names them. */
export default withFaults(slowSleeper, faultsFrom(process.env['STALLS']!));
