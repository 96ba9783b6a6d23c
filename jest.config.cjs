/** Tests run as CommonJS: ESM mode cannot load the CommonJS add-ons that require ESM Nest. */
const typescript = [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  },
];

// Tests use the sources of the clients, so that no build is necessary.
const clients = {
  '^formtrail-client$': '<rootDir>/clients/typescript/src/index.ts',
  '^formtrail-react$': '<rootDir>/clients/react/src/index.ts',
  '^formtrail-session$': '<rootDir>/clients/session/src/index.ts',
  '^formtrail-session/(inputs|languages|markup|resume-link|sentences(?:/\\w+)?)$':
    '<rootDir>/clients/session/src/$1.ts',
};

/** Specs beside the source: they need no build and no database. */
const unit = {
  displayName: 'unit',
  roots: ['<rootDir>/src', '<rootDir>/clients'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['\\.long\\.spec\\.ts$'],
  transform: { '\\.[jt]s$': typescript },
  // Transform these packages, because they are ES modules only.
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|@noble|@redocly/openapi-core|uuid|jose|file-type|strtok3|token-types|uint8array-extras|@tokenizer|@borewit)/)',
  ],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^#swagger$': '<rootDir>/src/server/docs/no-swagger.ts',
    ...clients,
  },
};

/** Large packages and ES modules that specs use. Jest itself must use none of them. */
const LOADED_ONCE = [
  '@nestjs/.+',
  '@noble/.+',
  'class-validator',
  'ioredis',
  'jose',
  'pg',
  'pino',
  'typeorm',
  'uuid',
  'yaml',
].join('|');

/** Specs that use the built service. */
const service = {
  displayName: 'service',
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testMatch: ['**/*.spec.ts'],
  // The folders have commands of their own, such as "npm run test:browser".
  testPathIgnorePatterns: ['\\.long\\.spec\\.ts$', '<rootDir>/test/(browser|built|faults|ha|repo)/'],
  transform: {
    [`/(dist/src|node_modules/(${LOADED_ONCE}))/.+\\.js$`]: '<rootDir>/test/support/load-once.cjs',
    '\\.[jt]s$': typescript,
  },
  transformIgnorePatterns: [`/node_modules/(?!(${LOADED_ONCE})/)`],
  moduleNameMapper: {
    '^(?:\\.\\./)+src/(.+)\\.js$': '<rootDir>/dist/src/$1.js',
    '^(\\.{1,2}/.*)\\.js$': ['$1', '$1.js'],
    ...clients,
  },
};

module.exports = {
  projects: [unit, service],
  // With more workers on two cores, responses that must arrive within 5 seconds (E2) are sometimes late.
  maxWorkers: 2,
  // Far longer than any test takes on an idle machine, because the machine may be under load.
  testTimeout: 60_000,
};
