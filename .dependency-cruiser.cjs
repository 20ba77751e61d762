/**
 * The arrows of the architecture. A lib is entered by its index.ts only, and each may use just what its line
 * below says: src → registry → {gpu-pool, circuit-breaker, onnx} → batching → model; admission stands beside
 * registry; codec, telemetry and testing are leaves that may name the types of model.
 */
const ALLOWED = {
  model: [],
  codec: ['model'],
  telemetry: ['model'],
  testing: ['model'],
  batching: ['model'],
  onnx: ['model', 'batching'],
  'circuit-breaker': ['model', 'batching'],
  'gpu-pool': ['model', 'batching'],
  admission: ['model', 'batching'],
  registry: ['model', 'batching', 'gpu-pool', 'circuit-breaker', 'onnx', 'codec', 'telemetry'],
};

/** Imports such as `#model` lead to what was built of the lib. */
const BUILT = '^(?:dist/)?';

const DOOR = `${BUILT}libs/[^/]+/src/index\\.(ts|js)$`;

const arrows = Object.entries(ALLOWED).map(([lib, allowed]) => ({
  name: `arrows-of-${lib}`,
  severity: 'error',
  from: { path: `^libs/${lib}/` },
  to: {
    path: `${BUILT}(libs|src|models|examples|bench|test)/`,
    pathNot: `${BUILT}libs/(${[lib, ...allowed].join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'only-door',
      comment: 'A lib is entered by its src/index.ts.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: `${BUILT}libs/`, pathNot: ['^libs/$1/', DOOR] },
    },
    {
      name: 'only-door-from-outside',
      comment: 'A lib is entered by its src/index.ts.',
      severity: 'error',
      from: { path: '^(src|models|examples|bench|test)/' },
      to: { path: `${BUILT}libs/`, pathNot: DOOR },
    },
    {
      name: 'core-of-batching-without-nest',
      severity: 'error',
      from: { path: '^libs/batching/', pathNot: '\\.module\\.ts$' },
      to: { path: '@nestjs/' },
    },
    {
      name: 'models-know-the-sdk-only',
      severity: 'error',
      from: { path: '^(models|examples)/' },
      to: { path: `${BUILT}(src|libs)/`, pathNot: `${BUILT}libs/(model|onnx)/` },
    },
    { name: 'resolvable', severity: 'error', from: { pathNot: '^dist/' }, to: { couldNotResolve: true } },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '\\.(e2e-)?spec\\.ts$' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
