import type { Command } from 'commander';

/** Adds an option to the command that exports submissions, if there is one: another capability has it. */
export function addWithoutPersonal(program: Command): void {
  const submissions = program.commands.find((command) => command.name() === 'submissions');
  submissions?.commands
    .find((command) => command.name() === 'export')
    ?.option(
      '--without-personal',
      'leave out the values and files of personal fields, the email addresses of users, and meta',
    );
}
