import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { findDeveloper } from '../../../auth/issue-development-token.js';
import { Environment } from '../../../config/environment.js';
import { ChangeListener } from '../../../database/change-listener.js';
import type { Connection } from '../../../database/connection.js';
import { DatabaseModule } from '../../../database/database.module.js';
import { FormsModule } from '../../../forms/forms.module.js';
import type { PublishedForm } from '../../../forms/published-form.js';
import { PublishedFormsService } from '../../../forms/published-forms.service.js';
import { type Close, closeAfter } from '../../../process/close-all.js';
import { SubmissionsModule } from '../../../submissions/submissions.module.js';
import { needsFile } from './example-answers.js';
import { ExampleSubmission, SubmissionServices } from './example-submission.js';

export interface SeededSubmissions {
  readonly slug: string;
  completed: number;
  drafts: number;
}

interface Seeding {
  readonly dataSource: DataSource;
  readonly environment: Environment;
  readonly connection: Connection;
  /** Called with the number of submissions so far. */
  readonly show: (count: number) => void;
}

/** The part of the service that submissions need, without HTTP and without work in the background. */
@Module({})
class SeedingModule {}

/**
 * Creates submissions of the example forms by the services of the API, so that they are exactly what clients would have created. They
 * belong to the user of the development token.
 */
export async function seedSubmissions(
  { dataSource, environment, connection, show }: Seeding,
  uuids: readonly string[],
  count: number,
): Promise<SeededSubmissions[]> {
  const { id: userId } = await findDeveloper(dataSource.manager);
  // Without notifications, the service would load and compile the form for each call.
  const listener = new ChangeListener(connection);
  const closing: Close[] = [() => listener.close()];
  return closeAfter(async () => {
    await listener.start();
    const context = await NestFactory.createApplicationContext(
      {
        ...{ module: SeedingModule, global: true },
        ...{ providers: [{ provide: Environment, useValue: environment }], exports: [Environment] },
        imports: [DatabaseModule.of(dataSource, listener), FormsModule, SubmissionsModule],
      },
      { logger: false, abortOnError: false },
    );
    closing.unshift(() => context.close());
    const services = new SubmissionServices(context, userId);
    const published = context.get(PublishedFormsService, { strict: false });
    const forms: PublishedForm[] = [];
    for (const uuid of uuids) forms.push((await published.byUuid(uuid)) as PublishedForm);
    const seeded = new Map(forms.map(({ slug }) => [slug, { slug, completed: 0, drafts: 0 }]));
    for (const [submission, { form, lastStep }] of planOf(forms, count).entries()) {
      await new ExampleSubmission(services, form, submission).create(lastStep);
      (seeded.get(form.slug) as SeededSubmissions)[lastStep === undefined ? 'completed' : 'drafts'] += 1;
      show(submission + 1);
    }
    return [...seeded.values()];
  }, closing);
}

interface Plan {
  readonly form: PublishedForm;
  /** The step at which a draft stays. Undefined: the submission is completed. */
  readonly lastStep: number | undefined;
}

/** Every third submission is a draft. Forms that cannot be completed come first among drafts, so that few submissions show all forms. */
function planOf(forms: readonly PublishedForm[], count: number): Plan[] {
  const completable = forms.filter((form) => !needsFile(form));
  const ofDrafts = [...forms.filter(needsFile), ...completable];
  let drafts = 0;
  return Array.from({ length: count }, (_, submission) => {
    const completed = completable[(submission - drafts) % completable.length];
    if (completed !== undefined && submission % 3 !== 1) return { form: completed, lastStep: undefined };
    const [index, round] = [drafts % ofDrafts.length, Math.floor(drafts / ofDrafts.length)];
    const form = ofDrafts[index] as PublishedForm;
    const lastStep = 1 + ((index + round) % form.steps.length);
    drafts += 1;
    return { form, lastStep };
  });
}
