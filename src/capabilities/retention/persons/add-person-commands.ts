import type { Command } from 'commander';
import { findCommand } from '../../../cli/find-command.js';
import { exportPersonCommand } from './export.command.js';
import { findPersonCommand } from './find.command.js';

export function addPersonCommands(program: Command): void {
  const users = findCommand(program, 'users');
  users
    .description(`find and export a person's data, ${users.description()}`)
    .addCommand(findPersonCommand())
    .addCommand(exportPersonCommand());
}
