// Preloaded into a service process: responds to each message of the parent with the functions that ran since the last message,
// in stages. Each stage but the last ends when the process writes to a server, which is PostgreSQL.
import { Session } from 'node:inspector';
import { Socket } from 'node:net';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let stages = [];

function endStage() {
  // An in-process session calls back before post() returns.
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw new Error(error.message);
    stages.push(taken.result.filter(({ url }) => url.includes('/dist/src/')));
  });
}

const { write } = Socket.prototype;
Socket.prototype.write = function (...parameters) {
  // Sockets of clients have a server.
  if (this.server === null) endStage();
  return write.apply(this, parameters);
};

process.on('message', () => {
  endStage();
  process.send(stages);
  stages = [];
});
// End with the parent, even if the parent was killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGINT'));
