import { ApiProperty } from '#swagger';
import { ResponseSchema } from '../../http/openapi/openapi.schemas.js';

@ResponseSchema('Alive')
export class AliveResponse {
  @ApiProperty({ enum: ['ok'] }) readonly status!: 'ok';
}

@ResponseSchema('ReadyChecks')
class ReadyChecks {
  @ApiProperty({ enum: ['ok'] }) readonly database!: 'ok';
  @ApiProperty({ enum: ['ok'] }) readonly migrations!: 'ok';
}

@ResponseSchema('Ready')
export class ReadyResponse {
  @ApiProperty({ enum: ['ok'] }) readonly status!: 'ok';
  @ApiProperty() readonly checks!: ReadyChecks;
}

@ResponseSchema('NotReadyChecks')
class NotReadyChecks {
  @ApiProperty({ enum: ['ok', 'unreachable'] }) readonly database!: 'ok' | 'unreachable';
  @ApiProperty({ enum: ['ok', 'pending', 'unknown'] }) readonly migrations!: 'ok' | 'pending' | 'unknown';
}

@ResponseSchema('NotReady')
export class NotReadyResponse {
  @ApiProperty({ enum: ['unavailable'] }) readonly status!: 'unavailable';
  @ApiProperty() readonly message!: string;
  @ApiProperty() readonly checks!: NotReadyChecks;
}

@ResponseSchema('Stopping')
export class StoppingResponse {
  @ApiProperty({ enum: ['stopping'] }) readonly status!: 'stopping';
  @ApiProperty() readonly message!: string;
}
