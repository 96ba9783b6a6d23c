// Runs in a separate process, because go-template is an ES module with WebAssembly, which Jest cannot load as CommonJS.
import { json } from 'node:stream/consumers';
import { parse } from '@evertdespiegeleer/go-template';

const { templates, data } = await json(process.stdin);
const rendered = [];
for (const [name, template] of templates) {
  try {
    rendered.push(await parse(template, data));
  } catch (error) {
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exit(1);
  }
}
// Exit explicitly, because the engine keeps the process alive.
process.stdout.write(JSON.stringify(rendered), () => process.exit(0));
