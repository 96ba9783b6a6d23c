import { IsDefined, IsString } from 'class-validator';

export class CreateSubmissionDto {
  /** Whether it names an active form is asked later; a malformed one names none (S2). */
  @IsString({ message: 'The form_uuid must be a string.' })
  @IsDefined({ message: 'The form_uuid is required.' })
  form_uuid!: string;
}
