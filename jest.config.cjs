/** Tests run as CommonJS: ESM mode cannot load the CommonJS add-ons that require ESM Nest. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // More than that, on two cores, and what has to be done within 5 seconds sometimes is not (E2).
  maxWorkers: 2,
  // A bound for machines under load, not a time that anything should take.
  testTimeout: 60_000,
  testMatch: ['**/*.spec.ts'],
  // They have commands of their own: npm run test:browser and so on.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(browser|built|faults|ha)/'],
  transform: {
    '^.+\\.(t|j)s$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // These packages are ES modules only.
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|@redocly/openapi-core|uuid|file-type|strtok3|token-types|uint8array-extras|@tokenizer|@borewit|string-width|get-east-asian-width|strip-ansi|ansi-regex)/)',
  ],
  // As in production; the OpenAPI document is made by the global set-up.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^#swagger$': '<rootDir>/src/docs/no-swagger.ts',
    // From their sources, so that nothing has to be built.
    '^formtrail-client$': '<rootDir>/clients/typescript/src/index.ts',
    '^formtrail-react$': '<rootDir>/clients/react/src/index.ts',
    '^formtrail-session$': '<rootDir>/clients/session/src/index.ts',
  },
};
