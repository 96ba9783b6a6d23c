import tearDownDatabases from '../support/global-teardown.mjs';

export default async function tearDown() {
  await globalThis.testBrowser?.close();
  await tearDownDatabases();
}
