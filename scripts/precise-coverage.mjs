// Preloaded into a service process: responds to each message of the parent with the functions that ran since the last message.
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('message', () => {
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    process.send(error === null ? taken.result.filter(({ url }) => url.includes('/dist/src/')) : []);
  });
});
// End with the parent, even if the parent was killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGINT'));
