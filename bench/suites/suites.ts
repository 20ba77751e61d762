import { digitsSuite } from './digits-suite.js';
import { noOpSuite } from './no-op-suite.js';
import { resNetSuite } from './resnet-suite.js';
import type { SuiteFactory, SuiteName } from './suite.js';
import { wideMlpSuite } from './wide-mlp-suite.js';
import { windowsSuite } from './windows-suite.js';

/** Every suite by its name. */
export const SUITES: Readonly<Record<SuiteName, SuiteFactory>> = {
  noop: noOpSuite,
  digits: digitsSuite,
  mlp: wideMlpSuite,
  resnet: resNetSuite,
  windows: windowsSuite,
};
