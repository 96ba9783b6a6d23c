import type { INestApplicationContext } from '@nestjs/common';
import { CommandError } from '../../../cli/command-error.js';
import type { PublishedForm } from '../../../forms/published-form.js';
import { CompletionService } from '../../../submissions/completion/completion.service.js';
import { MovesService } from '../../../submissions/drafts/moves.service.js';
import type {
  StepProgressResponse,
  SubmissionResponse,
} from '../../../submissions/dto/submission.response.js';
import { OwnSubmissionsService } from '../../../submissions/own-submissions.service.js';
import { RecordsService } from '../../../submissions/records/records.service.js';
import type { SubmissionReference } from '../../../submissions/submission-reference.decorator.js';
import { SubmissionsService } from '../../../submissions/submissions.service.js';
import { ValuesService } from '../../../submissions/values/values.service.js';
import { ExampleAnswers } from './example-answers.js';

/** The services that the endpoints of submissions call, and the user for whom they are called. */
export class SubmissionServices {
  readonly own: OwnSubmissionsService;
  readonly submissions: SubmissionsService;
  readonly values: ValuesService;
  readonly records: RecordsService;
  readonly moves: MovesService;
  readonly completion: CompletionService;

  constructor(
    context: INestApplicationContext,
    readonly userId: number,
  ) {
    const options = { strict: false };
    this.own = context.get(OwnSubmissionsService, options);
    this.submissions = context.get(SubmissionsService, options);
    this.values = context.get(ValuesService, options);
    this.records = context.get(RecordsService, options);
    this.moves = context.get(MovesService, options);
    this.completion = context.get(CompletionService, options);
  }
}

/** Creates one submission as a person would: step by step. */
export class ExampleSubmission {
  private uuid = '';
  private readonly answers: ExampleAnswers;

  /** @param submission the number of the submission, from 0 */
  constructor(
    private readonly services: SubmissionServices,
    private readonly form: PublishedForm,
    submission: number,
  ) {
    this.answers = new ExampleAnswers(form, submission);
  }

  /** @param lastStep the step that the draft stays on, with half of its questions answered. Undefined: the submission is completed */
  async create(lastStep: number | undefined): Promise<void> {
    const { own, moves } = this.services;
    const created = await own.create(this.reference(), { form_uuid: this.form.uuid }, {});
    this.uuid = (created.data as SubmissionResponse).uuid;
    let progress = { current_step: 1, is_last_step: this.form.steps.length === 1 };
    const isThere = () => progress.is_last_step || progress.current_step >= (lastStep ?? Infinity);
    while (!isThere()) {
      await this.fillIn(progress.current_step, 1);
      const moved = await moves.advance(this.reference(), { skip: 'hidden' });
      progress = moved.data as StepProgressResponse;
    }
    await this.fillIn(progress.current_step, lastStep === undefined ? 1 : 0.5);
    if (lastStep === undefined) await this.complete();
  }

  /** Answers a step. `share` is the part of its fields that is answered. */
  private async fillIn(position: number, share: number): Promise<void> {
    const fields = this.answers.fieldsOf(this.form.steps[position - 1]?.stepNumber ?? 0, share);
    const answers = this.answers.answer(fields);
    for (const { entity, count } of this.answers.missingRecords(fields)) {
      for (let added = 0; added < count; added += 1) {
        const { data } = await this.services.records.create(this.reference(), entity.name);
        this.answers.addRecord(data.id, entity);
      }
    }
    // Again, because of the records, and because a later answer may have made an earlier field visible.
    answers.push(...this.answers.answer(fields));
    if (answers.length > 0) await this.services.values.store(this.reference(), answers, {});
  }

  private async complete(): Promise<void> {
    const { errors } = await this.services.completion.validate(this.reference(), undefined);
    const [error] = Object.values(errors).flat();
    if (error !== undefined)
      throw new CommandError(
        `A submission of ${this.form.slug} stays a draft, because its invented answers do not fit: ${error.message}`,
      );
    await this.services.submissions.patch(this.reference(), { status: 'completed' });
  }

  /** The time of a request begins now. */
  private reference(): SubmissionReference {
    const { userId } = this.services;
    return { userId, uuid: this.uuid, ifMatch: undefined, arrivedAt: performance.now() };
  }
}
