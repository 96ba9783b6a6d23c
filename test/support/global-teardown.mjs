export default () => globalThis.endTestServer?.();
