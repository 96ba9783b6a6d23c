/** Tests run as CommonJS: ESM mode cannot load the CommonJS add-ons that require ESM Nest. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // With more workers on two cores, responses that must arrive within 5 seconds (E2) are sometimes late.
  maxWorkers: 2,
  // Far longer than any test takes on an idle machine, because the machine may be under load.
  testTimeout: 60_000,
  testMatch: ['**/*.spec.ts'],
  // These tests have separate commands, such as "npm run test:browser".
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
  // Transform these packages, because they are ES modules only.
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|@noble|@redocly/openapi-core|uuid|jose|file-type|strtok3|token-types|uint8array-extras|@tokenizer|@borewit|string-width|get-east-asian-width|strip-ansi|ansi-regex)/)',
  ],
  // Tests run without @nestjs/swagger, as in production. The global set-up creates the OpenAPI document.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^#swagger$': '<rootDir>/src/docs/no-swagger.ts',
    // Tests use the sources of the clients, so that no build is necessary.
    '^formtrail-client$': '<rootDir>/clients/typescript/src/index.ts',
    '^formtrail-react$': '<rootDir>/clients/react/src/index.ts',
    '^formtrail-session$': '<rootDir>/clients/session/src/index.ts',
    '^formtrail-session/(inputs|resume-link|sentences)$': '<rootDir>/clients/session/src/$1.ts',
  },
};
