import { ApiProperty } from '#swagger';
import { ResponseSchema, TIMESTAMP } from '../../http/openapi/openapi.schemas.js';

@ResponseSchema('RespondentToken')
export class RespondentTokenResponse {
  @ApiProperty({
    description: 'The bearer token. It is shown only here.',
    pattern: '^ftr_[A-Za-z0-9_-]{43}$',
  })
  readonly token!: string;

  @ApiProperty({ ...TIMESTAMP, description: 'When the token expires if it is not used. Use extends it.' })
  readonly expires_at!: string;
}

@ResponseSchema('ResumeCode')
export class ResumeCodeResponse {
  @ApiProperty({
    description: 'The code, in groups. It is shown only here.',
    example: '7QX2MK-4TBZC-9H0FD-VN3WR-6J8PE',
  })
  readonly code!: string;

  @ApiProperty({ ...TIMESTAMP, description: 'When the code expires if it is not used.' })
  readonly expires_at!: string;
}

@ResponseSchema('Challenge')
export class ChallengeResponse {
  @ApiProperty({ enum: ['SHA-256'] })
  readonly algorithm!: string;

  @ApiProperty({ description: 'The SHA-256 of the salt and the number to find, in hexadecimal.' })
  readonly challenge!: string;

  @ApiProperty({ type: 'integer', description: 'The highest number to try, from 0.' })
  readonly maxnumber!: number;

  @ApiProperty({ description: 'The text before the number. It contains the expiry and the form.' })
  readonly salt!: string;

  @ApiProperty({ description: 'Send it back with the number.' })
  readonly signature!: string;
}
