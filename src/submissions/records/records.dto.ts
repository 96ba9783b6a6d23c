import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { IsDefined, IsOptional, IsString } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ApiProperty, ApiSchema } from '#swagger';
import { withError } from '../../http/bodies/checks.js';
import { notFoundProblem } from '../../http/errors/problems.js';
import { RECORD_ID_SCHEMA, ResponseSchema, TIMESTAMP_SCHEMA } from '../../http/openapi/openapi.schemas.js';

/** Reads the id of the record in the path. Throws 404 for an id that no record can have, as for an unknown id (R2). */
export const RecordId = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { id } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { id: string } }>>().params;
  if (!/^[1-9]\d{0,15}$/.test(id) || Number(id) > RECORD_ID_SCHEMA.maximum) throw notFoundProblem('Record');
  return Number(id);
});

export class RecordsQuery {
  @ApiProperty({ required: false, description: 'Returns only the records of this entity.' })
  @IsOptional()
  @IsString(withError('not_a_string', 'The entity must be a string.'))
  entity?: string;
}

@ApiSchema({ name: 'NewRecord' })
export class CreateRecordDto {
  /** The service checks later whether the form has this entity (R2). */
  @ApiProperty({ description: 'The name of an entity of the form.' })
  @IsString(withError('not_a_string', 'The entity must be a string.'))
  @IsDefined(withError('required', 'The entity is required.'))
  entity!: string;
}

@ResponseSchema('Record')
export class RecordResponse {
  @ApiProperty(RECORD_ID_SCHEMA) readonly id!: number;
  @ApiProperty() readonly entity!: string;
  @ApiProperty(TIMESTAMP_SCHEMA) readonly created_at!: string;
}
