import { ApiProperty } from '#swagger';
import { ResponseSchema, TIMESTAMP_SCHEMA } from '../../../http/openapi/openapi.schemas.js';

@ResponseSchema('RespondentToken')
export class RespondentTokenResponse {
  @ApiProperty({ pattern: '^ftr_[A-Za-z0-9_-]{43}$' }) readonly token!: string;
  @ApiProperty({ ...TIMESTAMP_SCHEMA, description: 'Use of the token extends it.' })
  readonly expires_at!: string;
}

@ResponseSchema('ResumeCode')
export class ResumeCodeResponse {
  @ApiProperty({ description: 'It can be used once.' }) readonly code!: string;
  @ApiProperty(TIMESTAMP_SCHEMA) readonly expires_at!: string;
}

@ResponseSchema('Challenge')
export class ChallengeResponse {
  @ApiProperty({ enum: ['SHA-256'] }) readonly algorithm!: string;
  @ApiProperty({ description: 'The SHA-256 of the salt and the number to find.' })
  readonly challenge!: string;
  @ApiProperty({ type: 'integer', description: 'The highest number to try, from 0.' })
  readonly maxnumber!: number;
  @ApiProperty() readonly salt!: string;
  @ApiProperty() readonly signature!: string;
}
